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

    main()

The schema of a command comes from the type hints of its function: str, int,
float, bool, list, dict, Literal, Enum, Path, Optional, Any, dataclasses, and
pydantic models where pydantic is installed. A parameter with a default is
optional. The result is printed as JSON, a str as it is, None as nothing.

One file, standard library only, Python 3.10 or newer.
"""

import dataclasses
import enum
import inspect
import json
import pathlib
import re
import sys
import traceback
import types
import typing

OK, FAILED, ARGUMENTS, CONFIG, TRANSIENT = 0, 1, 2, 3, 4


class InvalidArgs(Exception):
    """An argument that fits the schema but not the world; others may work."""

    def __init__(self, field, message):
        super().__init__(f"{field}: {message}" if field else message)
        self.field, self.message = field, message


class NotConfigured(Exception):
    """A secret or setting is missing: a person must act."""


class Transient(Exception):
    """The same call may work later."""


_commands = {}


def tool(function=None, *, name=None):
    """Registers a function as a command; count_rows becomes count-rows."""

    def register(f):
        command = name or f.__name__.replace("_", "-")
        if not re.fullmatch(r"[a-z_][a-z0-9_.-]{0,63}", command):
            raise ValueError(f"command {command!r}: a name has up to 64 of a-z, 0-9, -, . and _")
        if command in _commands:
            raise ValueError(f"command {command!r} is registered twice")
        _commands[command] = f
        return f

    return register(function) if function else register


def main():
    """Serves one call of the contract and exits."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    code = _serve(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        print(f"write the result: {error}", file=sys.stderr)
        code = FAILED
    sys.exit(code)


def _serve(args):
    if not args:
        _print([{"name": n, "description": _docs(f)[0]} for n, f in _commands.items()])
        return OK
    if args == ["--describe-all"]:
        _print([_describe(n, f) for n, f in _commands.items()])
        return OK
    function = _commands.get(args[0])
    if function is None or len(args) > 2:
        print(f"unknown command {args[0]!r}; commands: {', '.join(_commands)}", file=sys.stderr)
        return ARGUMENTS
    if len(args) == 1:
        _print(_describe(args[0], function))
        return OK
    try:
        text = sys.stdin.read() if args[1] == "-" else args[1]
        return _call(function, text)
    except InvalidArgs as error:
        print(error, file=sys.stderr)
        marker = {"kind": "invalid_arguments", "message": error.message, "field": error.field}
        print("agentctl-error: " + json.dumps(marker, ensure_ascii=False), file=sys.stderr)
        return ARGUMENTS
    except NotConfigured as error:
        print(error, file=sys.stderr)
        return CONFIG
    except Transient as error:
        print(error, file=sys.stderr)
        return TRANSIENT
    except SystemExit as error:  # of a library: its 2 would mean other arguments
        if error.code in (None, 0):
            return OK
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
        return FAILED
    except Exception:
        traceback.print_exc()
        return FAILED


def _print(value):
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))


def _call(function, text):
    try:
        given = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise InvalidArgs("", f"arguments must be one JSON object: {error}") from None
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise InvalidArgs("", "arguments must be one JSON object")
    hints, parameters = _hints(function), inspect.signature(function).parameters
    for name in given:
        if name not in parameters:
            raise InvalidArgs(name, f"unknown property; known: {', '.join(parameters) or 'none'}")
    for name, parameter in parameters.items():
        if name not in given and parameter.default is parameter.empty:
            raise InvalidArgs(name, "is required")
    result = function(**{name: _value(value, hints[name], name) for name, value in given.items()})
    if isinstance(result, str):
        print(result)
    elif result is not None:
        text = json.dumps(_plain(result), ensure_ascii=False, allow_nan=False)  # refuses NaN before anything is printed
        print(text)
    return OK


def _plain(value):
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dataclasses.asdict(value))
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, pathlib.PurePath):
        return str(value)
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def _hints(function):
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{function.__name__}: *{name} has no schema")
        hints.setdefault(name, str)
    return hints


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


def _describe(name, function):
    description, about = _docs(function)
    hints = _hints(function)
    schema = _object(
        (n, hints[n], p.default is p.empty, None if p.default is p.empty else p.default, about.get(n))
        for n, p in inspect.signature(function).parameters.items()
    )
    return {"name": name, "description": description, "params_json_schema": schema}


def _object(fields, seen=()):
    properties, required = {}, []
    for name, hint, needed, default, about in fields:
        schema = _schema(hint, seen)
        if about and "description" not in schema:
            schema["description"] = about
        if needed:
            required.append(name)
        elif default is not None and isinstance(_plain(default), (str, int, float, bool)):
            schema["default"] = _plain(default)
        properties[name] = schema
    out = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        out["required"] = required
    return out


_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", pathlib.Path: "string"}


def _schema(hint, seen=()):
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        schema = _schema(args[0], seen)
        texts = [a for a in args[1:] if isinstance(a, str)]
        return {**schema, "description": texts[0]} if texts else schema
    if hint in (typing.Any, inspect.Parameter.empty):
        return {}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if hint is type(None):
        return {"type": "null"}
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(a, seen) for a in args]}
    if hint is list or origin is list:
        return {"type": "array", "items": _schema(args[0], seen) if args else {}}
    if hint is dict or origin is dict:
        return {"type": "object", "additionalProperties": _schema(args[1], seen)} if args else {"type": "object"}
    if isinstance(hint, type):
        if issubclass(hint, enum.Enum):
            return {"enum": [m.value for m in hint]}
        if hasattr(hint, "model_json_schema"):
            return hint.model_json_schema()
        if dataclasses.is_dataclass(hint):
            return _dataclass(hint, seen)
    raise TypeError(f"no schema for {hint!r}")


def _dataclass(hint, seen):
    if hint in seen:
        raise TypeError(f"{hint.__name__} contains itself, which no provider accepts")
    hints = typing.get_type_hints(hint, include_extras=True)
    missing = dataclasses.MISSING
    return _object(
        (
            (f.name, hints[f.name], f.default is missing and f.default_factory is missing,
             None if f.default is missing else f.default, f.metadata.get("description"))
            for f in dataclasses.fields(hint) if f.init
        ),
        (*seen, hint),
    )


def _value(value, hint, path):
    """Makes of JSON what the type hint asks for."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _value(value, args[0], path)
    if origin in (typing.Union, types.UnionType):
        return _union(value, args, path)
    if origin is typing.Literal:
        if value not in args:
            raise InvalidArgs(path, f"must be one of {', '.join(map(repr, args))}")
        return value
    if hint is list or origin is list:
        _expect(value, list, path)
        return [_value(v, args[0], f"{path}[{i}]") for i, v in enumerate(value)] if args else value
    if hint is dict or origin is dict:
        _expect(value, dict, path)
        return {k: _value(v, args[1], f"{path}.{k}") for k, v in value.items()} if args else value
    if hint is float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InvalidArgs(path, f"expected a number, got {type(value).__name__}")
        return float(value)
    if hint in (str, int, bool):
        _expect(value, hint, path)
        return value
    if hint is type(None):
        _expect(value, type(None), path)
        return None
    if isinstance(hint, type):
        return _instance(value, hint, path)
    return value


def _expect(value, kind, path):
    if not isinstance(value, kind) or kind is int and isinstance(value, bool):
        if kind is int and isinstance(value, float) and value.is_integer():
            return
        raise InvalidArgs(path, f"expected {kind.__name__}, got {type(value).__name__}")


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
        try:
            return hint(value)
        except ValueError:
            raise InvalidArgs(path, f"must be one of {', '.join(repr(m.value) for m in hint)}") from None
    if hasattr(hint, "model_validate"):
        try:
            return hint.model_validate(value)
        except ValueError as error:
            raise InvalidArgs(path, str(error)) from None
    if dataclasses.is_dataclass(hint):
        return _fields(value, hint, path)
    return value


def _fields(value, hint, path):
    _expect(value, dict, path)
    hints = typing.get_type_hints(hint, include_extras=True)
    fields = {f.name: f for f in dataclasses.fields(hint) if f.init}
    for name in value:
        if name not in fields:
            raise InvalidArgs(f"{path}.{name}", f"unknown property; known: {', '.join(fields)}")
    for name, f in fields.items():
        if name not in value and f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise InvalidArgs(f"{path}.{name}", "is required")
    return hint(**{n: _value(v, hints[n], f"{path}.{n}") for n, v in value.items()})
