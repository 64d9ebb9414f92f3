"""Makes Python functions the commands of a tool package.

    from agentctl_tool import InvalidArgs, main, tool

    @tool
    def count_rows(path: str, limit: int | None = None) -> dict:
        '''Count the rows of a CSV file.

        Args:
            path: CSV file to read.
            limit: Stop after so many rows.
        '''
        ...

    if __name__ == "__main__":
        main()

The schema of a command comes from the type hints of its function: str, int,
float, bool, list, dict, Literal, Enum, Path, Optional, Any, dataclasses, and
pydantic models where the package has pydantic. A parameter with a default is
optional. A function whose one parameter is a dataclass or a model takes the
fields of that as its arguments. Unknown properties are refused.

The result is printed as JSON, a str or bytes as it is, None as nothing. Import
what is slow inside the function, so that describing stays fast.

One file, standard library only, Python 3.10 or newer; it is yours to keep.
"""

import dataclasses
import enum
import inspect
import json
import math
import os
import pathlib
import re
import sys
import traceback
import types
import typing

OK, FAILED, ARGUMENTS, CONFIG, TRANSIENT = 0, 1, 2, 3, 4  # contract v1


class InvalidArgs(Exception):
    """An argument that fits the schema but not the world; others may work."""

    def __init__(self, field, message):
        super().__init__(f"{field}: {message}" if field else message)
        self.field, self.message = field, message


class NotConfigured(Exception):
    """A secret or a setting is missing: a person must act."""


class Transient(Exception):
    """The same call may work later."""


_commands = {}  # name: (function, annotations)


def tool(function=None, *, name=None, annotations=None):
    """Registers a function as a command; count_rows becomes count-rows.

    annotations are hints such as {"readOnlyHint": True}.
    """

    def register(f):
        command = name or f.__name__.replace("_", "-")
        if not re.fullmatch(r"[a-z_][a-z0-9_.-]{0,63}", command):
            raise ValueError(f"command {command!r}: a name has up to 64 of a-z, 0-9, -, . and _, and starts with a letter or _")
        if command in _commands:
            raise ValueError(f"command {command!r} is registered twice")
        _commands[command] = f, annotations
        return f

    return register(function) if function else register


def main():
    """Serves one call of the contract and exits."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    try:
        code = _serve(sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:  # nobody reads stdout any more, or the disk is full
        _say(f"write the result: {error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the flush at exit must not fail again
        code = FAILED
    sys.exit(code)


def _say(text):
    print(text, file=sys.stderr)


def _serve(args):
    if not args:
        _print([{"name": name, "description": _docs(f)[0]} for name, (f, _) in _commands.items()])
        return OK
    if args == ["--describe-all"]:
        _print([_describe(name) for name in _commands])
        return OK
    known = args[0] in _commands
    if not known or len(args) > 2:
        reason = f"got {len(args)} arguments" if known else f"unknown command {args[0]!r}"
        _say(f"{reason}; usage: launch [COMMAND [JSON or -]]; commands: {', '.join(_commands)}")
        return ARGUMENTS
    if len(args) == 1:
        _print(_describe(args[0]))
        return OK
    return _guarded(_commands[args[0]][0], args[1])


def _guarded(function, text):
    """Runs a command and turns what it raises into an exit code."""
    try:
        if text == "-":
            text = sys.stdin.buffer.read().decode("utf-8")
        return _call(function, text)
    except InvalidArgs as error:
        return _refuse(error)
    except UnicodeDecodeError as error:
        if text != "-":
            traceback.print_exc()
            return FAILED
        return _refuse(InvalidArgs("", f"arguments are no UTF-8: {error}"))
    except (NotConfigured, Transient) as error:
        _say(error)
        return CONFIG if isinstance(error, NotConfigured) else TRANSIENT
    except SystemExit as error:
        return _exit(error.code)
    except BrokenPipeError:
        raise
    except Exception:
        traceback.print_exc()
        return FAILED


def _refuse(error):
    _say(error)
    marker = {"kind": "invalid_arguments", "message": error.message, "field": error.field}
    _say("agentctl-error: " + json.dumps(marker))
    return ARGUMENTS


def _exit(code):
    """A 2 of argparse or a library would mean that other arguments help."""
    if code is None:
        return OK
    if code in (OK, CONFIG, TRANSIENT):
        return int(code)
    if not isinstance(code, int):
        _say(code)
    return FAILED


def _print(value):
    try:
        text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)
    except ValueError as error:  # NaN
        raise ValueError(f"the result cannot be written as JSON: {error}") from None
    print(text)


def _plain(value):
    if value is None or isinstance(value, (str, bool, int, float)) and not isinstance(value, enum.Enum):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return _plain(value.model_dump(mode="json", exclude_none=True))
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if isinstance(value, pathlib.PurePath):
        return str(value)
    if isinstance(value, dict):
        return {str(_plain(k)): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):  # numbers and arrays of numpy
        return _plain(value.tolist())
    return value


def _call(function, text):
    given = _arguments(text)
    hints, parameters = _hints(function), inspect.signature(function).parameters
    model = _model(hints)
    if model:
        result = function(_value(given, hints[model], ""))
    else:
        _check_names(given, {n: p.default is p.empty for n, p in parameters.items()}, "")
        result = function(**{name: _value(value, hints[name], name) for name, value in given.items()})
    if inspect.iscoroutine(result):
        import asyncio  # slow to import

        result = asyncio.run(result)
    if isinstance(result, bytes):
        sys.stdout.flush()
        sys.stdout.buffer.write(result)
    elif isinstance(result, str):
        print(result, end="" if result.endswith("\n") else "\n")
    elif result is not None:
        _print(result)
    return OK


def _arguments(text):
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    def number(text):
        value = float(text)
        return value if math.isfinite(value) else refuse(text)

    try:
        given = json.loads(text, parse_constant=refuse, parse_float=number) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InvalidArgs("", f"arguments must be one JSON object: {error}") from None
    if not isinstance(given, dict):
        raise InvalidArgs("", f"arguments must be one JSON object, got {_kind(given)}")
    return given


def _check_names(given, needed, path):
    """needed says for each known name whether it must be there."""
    for name in given:
        if name not in needed:
            raise InvalidArgs(_join(path, name), f"unknown property; known: {', '.join(needed) or 'none'}")
    for name, must in needed.items():
        if must and name not in given:
            raise InvalidArgs(_join(path, name), "is required")


def _join(path, name):
    return f"{path}.{name}" if path else name


def _hints(function):
    hints = typing.get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"{function.__name__}: parameter {name} cannot be given by its name")
        if name not in hints:
            raise TypeError(f"{function.__name__}: parameter {name} has no type hint")
    return hints


def _model(hints):
    """The name of the one parameter that stands for all arguments, or None."""
    if len(hints) != 1:
        return None
    name, hint = next(iter(hints.items()))
    return name if isinstance(hint, type) and (dataclasses.is_dataclass(hint) or hasattr(hint, "model_json_schema")) else None


def _docs(function):
    """The description, and those of the parameters below "Args:"."""
    text = inspect.getdoc(function) or ""
    summary, _, rest = text.partition("Args:\n")
    parameters, last = {}, None
    for line in rest.splitlines():
        match = re.match(r"^    (\w+)(?: \([^)]*\))?: (.*)$", line)
        if match:
            last = match[1]
            parameters[last] = match[2].strip()
        elif last and line.startswith("        "):
            parameters[last] += " " + line.strip()
        else:
            last = None
    return " ".join(summary.split()), parameters


def _describe(name):
    function, annotations = _commands[name]
    description, about = _docs(function)
    hints = _hints(function)
    model = _model(hints)
    if model:
        schema = _schema(hints[model])
    else:
        schema = _object(
            (n, hints[n], p.default is p.empty, p.default, about.get(n))
            for n, p in inspect.signature(function).parameters.items()
        )
    definitions = {}
    _hoist(schema, definitions)
    if definitions:
        schema["$defs"] = definitions
    out = {"name": name, "description": description, "params_json_schema": schema}
    return {**out, "annotations": annotations} if annotations else out


def _hoist(schema, definitions):
    """Moves the definitions of models to the root, where their references look."""
    if isinstance(schema, dict):
        definitions.update(schema.pop("$defs", {}))
        for value in schema.values():
            _hoist(value, definitions)
    elif isinstance(schema, list):
        for value in schema:
            _hoist(value, definitions)


def _object(fields, seen=()):
    properties, required = {}, []
    for name, hint, needed, default, about in fields:
        schema = _schema(hint, seen)
        if about and "description" not in schema:
            schema["description"] = about
        if needed:
            required.append(name)
        elif isinstance(_plain(default), (str, int, float, bool)):
            schema["default"] = _plain(default)
        properties[name] = schema
    out = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        out["required"] = required
    return out


_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", pathlib.Path: "string", type(None): "null"}


def _schema(hint, seen=()):
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        texts = [a for a in args[1:] if isinstance(a, str)]
        return {**_schema(args[0], seen), **({"description": texts[0]} if texts else {})}
    if hint is typing.Any:
        return {}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if origin is typing.Literal:
        return _enum(args)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(a, seen) for a in args]}
    if hint is list or origin is list:
        return {"type": "array", "items": _schema(args[0], seen) if args else {}}
    if hint is dict or origin is dict:
        return {"type": "object", "additionalProperties": _schema(args[1], seen)} if args else {"type": "object"}
    if isinstance(hint, type):
        if issubclass(hint, enum.Enum):
            return _enum([m.value for m in hint])
        if hasattr(hint, "model_json_schema"):
            return _closed(hint.model_json_schema())
        if dataclasses.is_dataclass(hint):
            return _dataclass(hint, seen)
    raise TypeError(f"no schema for {hint!r}")


def _enum(values):
    kinds = {_SCALARS.get(type(v)) for v in values}
    out = {"enum": list(values)}
    return {"type": kinds.pop(), **out} if len(kinds) == 1 and None not in kinds else out


def _closed(schema):
    """Refuses unknown properties wherever a model does not say otherwise."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            schema.setdefault("additionalProperties", False)
        for value in schema.values():
            _closed(value)
    elif isinstance(schema, list):
        for value in schema:
            _closed(value)
    return schema


def _dataclass(hint, seen):
    if hint in seen:
        raise TypeError(f"{hint.__name__} contains itself, which no provider accepts")
    hints = typing.get_type_hints(hint, include_extras=True)
    missing = dataclasses.MISSING
    return _object(
        (
            (f.name, hints[f.name], f.default is missing and f.default_factory is missing, f.default, f.metadata.get("description"))
            for f in dataclasses.fields(hint)
            if f.init
        ),
        (*seen, hint),
    )


def _value(value, hint, path):
    """Makes of JSON what the type hint asks for."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _value(value, args[0], path)
    if hint is typing.Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _union(value, args, path)
    if origin is typing.Literal:
        return _one_of(value, args, path)
    if hint is list or origin is list:
        _expect(value, list, path)
        return [_value(v, args[0], f"{path}[{i}]") for i, v in enumerate(value)] if args else value
    if hint is dict or origin is dict:
        _expect(value, dict, path)
        return {k: _value(v, args[1], _join(path, k)) for k, v in value.items()} if args else value
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint in (str, int, float, bool, type(None)):
        _expect(value, hint, path)
        return value
    return _instance(value, hint, path)


_KINDS = {str: "a string", int: "an integer", float: "a number", bool: "true or false", list: "an array", dict: "an object", type(None): "null"}


def _kind(value):
    return _KINDS.get(type(value), type(value).__name__)


def _expect(value, kind, path):
    if not isinstance(value, kind) or kind is int and isinstance(value, bool):
        raise InvalidArgs(path, f"expected {_KINDS[kind]}, got {_kind(value)}")


def _one_of(value, allowed, path):
    for one in allowed:
        if one == value and type(one) is type(value):
            return value
    raise InvalidArgs(path, f"must be one of {', '.join(map(json.dumps, allowed))}")


def _union(value, args, path):
    first = None
    for arg in args:
        try:
            return _value(value, arg, path)
        except InvalidArgs as error:
            first = first or error
    raise first


def _instance(value, hint, path):
    if hint is pathlib.Path:
        _expect(value, str, path)
        return hint(value)
    if issubclass(hint, enum.Enum):
        return hint(_one_of(value, [m.value for m in hint], path))
    if hasattr(hint, "model_validate"):
        return _validate(value, hint, path)
    return _fields(value, hint, path)


def _fields(value, hint, path):
    _expect(value, dict, path)
    hints = typing.get_type_hints(hint, include_extras=True)
    missing = dataclasses.MISSING
    fields = {f.name: f.default is missing and f.default_factory is missing for f in dataclasses.fields(hint) if f.init}
    _check_names(value, fields, path)
    values = {n: _value(v, hints[n], _join(path, n)) for n, v in value.items()}
    try:
        return hint(**values)
    except ValueError as error:  # of __post_init__
        raise InvalidArgs(path, str(error)) from None


def _validate(value, model, path):
    """Has pydantic check the value, which by itself ignores unknown properties."""
    schema = _closed(model.model_json_schema())
    _known(value, schema, schema, path)
    try:
        return model.model_validate(value)
    except ValueError as error:
        if not hasattr(error, "errors"):
            raise InvalidArgs(path, str(error)) from None
        found = [(_join(path, ".".join(map(str, e["loc"]))), e["msg"]) for e in error.errors()]
    rest = "".join(f"; {field}: {text}" for field, text in found[1:])
    raise InvalidArgs(found[0][0].strip("."), found[0][1] + rest)


def _known(value, schema, root, path):
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        return _known(value, root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2]), root, path)
    if isinstance(value, list):
        for i, item in enumerate(value):
            _known(item, schema.get("items"), root, f"{path}[{i}]")
    if not isinstance(value, dict):
        return
    branches = [b for b in schema.get("anyOf", []) if "$ref" in b or "properties" in b]
    if len(branches) == 1:  # of several pydantic chooses one by itself
        _known(value, branches[0], root, path)
    properties = schema.get("properties", {})
    if schema.get("additionalProperties") is False:
        _check_names(value, dict.fromkeys([*properties], False), path)
    for name, item in value.items():
        _known(item, properties.get(name, schema.get("additionalProperties")), root, _join(path, name))
