"""Summarises and plots columns of CSV files.

pandas and matplotlib are imported where they are used: describing the commands
must not wait for them.
"""

import json
import math
import os
import pathlib
import tempfile
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from agentctl_tool import InvalidArgs, main, tool

__all__ = ["main"]

CSVFile = Annotated[str, Field(min_length=1, description="CSV file to read, relative to the current folder. The first line names the columns.")]


class SummariseArgs(BaseModel):
    csv: CSVFile


class PlotArgs(BaseModel):
    csv: CSVFile
    column: str = Field(min_length=1, description="Name of the column to plot.")
    output: str | None = Field(
        default=None,
        min_length=1,
        pattern=r"\.png$",
        description="PNG file to write, relative to the current folder. Left out: COLUMN.png among the artifacts of the call.",
    )


class Column(BaseModel):
    name: str
    kind: Literal["number", "text", "boolean", "empty"]
    values: int
    missing: int
    distinct: int
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    median: float | None = None
    deviation: float | None = None
    most_frequent: list[tuple[str, int]] | None = None


class Summary(BaseModel):
    csv: str
    rows: int
    columns: list[Column]


class Plot(BaseModel):
    file: str
    column: str
    kind: Literal["histogram", "bars"]
    values: int


@tool(annotations={"readOnlyHint": True})
def summarise(args: SummariseArgs) -> Summary:
    """Summarise every column of a CSV file: kind, missing and distinct values; minimum, maximum, mean, median and standard deviation of numbers; the most frequent values of texts. Use it to get to know a table before working with it."""
    table = read(args.csv)
    return Summary(csv=args.csv, rows=len(table), columns=[summary(table[name]) for name in table.columns])


@tool
def plot(args: PlotArgs) -> Plot:
    """Plot one column of a CSV file as a PNG picture: a histogram of numbers, bars of the ten most frequent values of texts."""
    table = read(args.csv)
    if args.column not in table.columns:
        raise InvalidArgs("column", f"there is no column {args.column!r}; the file has {', '.join(table.columns)}")
    column = table[args.column].dropna()
    if column.empty:
        raise InvalidArgs("column", f"column {args.column!r} has no values; choose another one")
    target = place(args)
    kind = draw(column, target)
    return Plot(file=str(target), column=args.column, kind=kind, values=len(column))


def read(path):
    import pandas

    try:
        table = pandas.read_csv(path, encoding="utf-8-sig")
    except FileNotFoundError:
        raise InvalidArgs("csv", f"file {path!r} does not exist; give a path relative to the current folder") from None
    except (IsADirectoryError, PermissionError) as error:
        raise InvalidArgs("csv", f"file {path!r} cannot be read: {error.strerror}") from None
    except (ValueError, pandas.errors.ParserError) as error:  # also of an empty file and of bytes that are no text
        raise InvalidArgs("csv", f"file {path!r} is no CSV table: {str(error).strip()}") from None
    table.columns = [str(name) for name in table.columns]
    return table


def summary(column):
    from pandas.api import types

    values = column.dropna()
    about = {
        "name": column.name,
        "values": len(values),
        "missing": int(column.isna().sum()),
        "distinct": int(values.nunique()),
    }
    if values.empty:
        return Column(kind="empty", **about)
    if types.is_bool_dtype(values):
        return Column(kind="boolean", most_frequent=frequent(values), **about)
    if not types.is_numeric_dtype(values):
        return Column(kind="text", most_frequent=frequent(values), **about)
    return Column(
        kind="number",
        min=number(values.min()),
        max=number(values.max()),
        mean=number(values.mean()),
        median=number(values.median()),
        deviation=number(values.std()),
        **about,
    )


def number(value):
    """Rounded for a reader; None where there is no such number, as for the deviation of one value."""
    value = float(value)
    return float(f"{value:.6g}") if value == value and abs(value) != float("inf") else None


def frequent(values, most=5):
    counts = values.astype(str).value_counts()
    order = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [(text, int(count)) for text, count in order[:most]]


def place(args):
    """The file to write: output, else one in the folder for artifacts."""
    if args.output:
        target = pathlib.Path(args.output)
    else:
        safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in args.column)[:60]
        target = pathlib.Path(os.environ.get("AGENTCTL_OUTPUT_DIR", ".")) / f"{safe}.png"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidArgs("output", f"cannot make folder {str(target.parent)!r}: {error.strerror}") from None
    return target


def draw(column, target):
    prepare_fonts()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from pandas.api import types

    figure = Figure(figsize=(8, 5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    name = str(column.name).replace("$", r"\$")  # else matplotlib reads it as a formula
    axes.set_title(name)
    numbers = types.is_numeric_dtype(column) and not types.is_bool_dtype(column)
    if numbers:
        axes.hist(column.astype(float), bins=math.ceil(math.log2(len(column))) + 1)  # Sturges
        axes.set_xlabel(name)
        axes.set_ylabel("rows")
    else:
        entries = frequent(column, most=10)[::-1]
        axes.barh([text[:40].replace("$", r"\$") for text, _ in entries], [count for _, count in entries])
        axes.set_xlabel("rows")
    try:
        figure.savefig(target, format="png", dpi=100, metadata={"Software": None})
    except OSError as error:
        raise InvalidArgs("output", f"cannot write {str(target)!r}: {error.strerror}") from None
    return "histogram" if numbers else "bars"


def prepare_fonts():
    """Gives matplotlib the list of its own fonts.

    Without one it looks through all fonts of the system, for a second or more,
    and keeps the list in the home folder; here each call has a new home folder.
    The list that came with this file fits one version of matplotlib; any other
    makes its own.
    """
    text = pathlib.Path(__file__).with_name("fonts.json").read_text(encoding="utf-8")
    folder = tempfile.mkdtemp(prefix="matplotlib-")
    pathlib.Path(folder, f"fontlist-v{json.loads(text)['_version']}.json").write_text(text, encoding="utf-8")
    os.environ["MPLCONFIGDIR"] = folder


if __name__ == "__main__":
    main()
