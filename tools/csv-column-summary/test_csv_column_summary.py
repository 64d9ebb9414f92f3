"""Run with: uv run python -m unittest"""

import contextlib
import json
import os
import pathlib
import tempfile
import unittest

import csv_column_summary as sample
import make_fonts
from agentctl_tool import InvalidArgs

TABLE = "city,temperature,open,note\nOslo,1.5,true,\nRome,20,false,\nOslo,,true,\n"


class Folder(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(contextlib.chdir(self.folder))
        self.write("table.csv", TABLE)

    def write(self, name, text):
        pathlib.Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def refused(self, field, call):
        with self.assertRaises(InvalidArgs) as caught:
            call()
        self.assertEqual(caught.exception.field, field)
        return caught.exception.message


class Summarise(Folder):
    def summarise(self, name):
        return sample.summarise(sample.SummariseArgs(csv=name))

    def test_kinds_and_figures(self):
        got = self.summarise("table.csv")
        self.assertEqual((got.rows, [c.kind for c in got.columns]), (3, ["text", "number", "boolean", "empty"]))
        city, temperature = got.columns[:2]
        self.assertEqual(city.most_frequent, [("Oslo", 2), ("Rome", 1)])
        self.assertEqual((temperature.values, temperature.missing, temperature.distinct), (2, 1, 2))
        self.assertEqual((temperature.min, temperature.max, temperature.mean, temperature.median), (1.5, 20, 10.75, 10.75))

    def test_one_value_has_no_deviation(self):
        self.write("one.csv", "a\n7\n")
        self.assertIsNone(self.summarise("one.csv").columns[0].deviation)

    def test_only_a_header(self):
        self.write("header.csv", "a,b\n")
        self.assertEqual([c.kind for c in self.summarise("header.csv").columns], ["empty", "empty"])

    def test_a_byte_order_mark_is_no_part_of_a_name(self):
        self.write("bom.csv", b"\xef\xbb\xbfa\n1\n")
        self.assertEqual(self.summarise("bom.csv").columns[0].name, "a")

    def test_what_is_no_table(self):
        self.write("empty.csv", "")
        self.write("ragged.csv", 'a,b\n1,2\n3,4,5\n')
        self.write("bytes.csv", b"a\n\xff\xfe\n")
        for name, reason in {"none.csv": "does not exist", ".": "cannot be read", "empty.csv": "is no CSV table", "ragged.csv": "is no CSV table", "bytes.csv": "is no CSV table"}.items():
            with self.subTest(name):
                self.assertIn(reason, self.refused("csv", lambda name=name: self.summarise(name)))


class Plot(Folder):
    def plot(self, **args):
        return sample.plot(sample.PlotArgs(**args))

    def assertPNG(self, file):
        self.assertEqual(pathlib.Path(file).read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_histogram_among_the_artifacts(self):
        os.environ["AGENTCTL_OUTPUT_DIR"] = str(self.folder / "out")
        self.addCleanup(os.environ.pop, "AGENTCTL_OUTPUT_DIR")
        got = self.plot(csv="table.csv", column="temperature")
        self.assertEqual((got.file, got.kind, got.values), (str(self.folder / "out" / "temperature.png"), "histogram", 2))
        self.assertPNG(got.file)

    def test_bars_in_a_named_file(self):
        got = self.plot(csv="table.csv", column="city", output="plots/city.png")
        self.assertEqual((got.file, got.kind), ("plots/city.png", "bars"))
        self.assertPNG(got.file)

    def test_names_that_are_no_file_names_or_formulas(self):
        self.write("odd.csv", "a/b $x$\n1\n2\n")
        self.assertPNG(self.plot(csv="odd.csv", column="a/b $x$").file)

    def test_refusals(self):
        self.write("file", "")
        self.assertIn("city, temperature", self.refused("column", lambda: self.plot(csv="table.csv", column="cty")))
        self.assertIn("no values", self.refused("column", lambda: self.plot(csv="table.csv", column="note")))
        self.assertIn("cannot make folder", self.refused("output", lambda: self.plot(csv="table.csv", column="city", output="file/x.png")))


class Fonts(unittest.TestCase):
    def test_the_list_fits_the_installed_matplotlib(self):
        """Else run make_fonts.py."""
        kept = json.loads(pathlib.Path(sample.__file__).with_name("fonts.json").read_text())
        self.assertEqual(kept, json.loads(make_fonts.own_fonts()))


if __name__ == "__main__":
    unittest.main()
