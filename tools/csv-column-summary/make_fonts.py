"""Writes fonts.json, the list of the fonts that matplotlib brings with it.

Run it after the lock has a new matplotlib: uv run python make_fonts.py
"""

import json
import pathlib
import tempfile

import matplotlib.font_manager as fonts


def own_fonts():
    """matplotlib's own text for a list without the fonts of this system."""
    find = fonts.findSystemFonts
    fonts.findSystemFonts = lambda paths=None, fontext="ttf": sorted(find(paths, fontext)) if paths else []
    try:
        manager = fonts.FontManager()
    finally:
        fonts.findSystemFonts = find
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "fonts.json")
        fonts.json_dump(manager, file)
        return json.dumps(json.loads(file.read_text()), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("fonts.json").write_text(own_fonts())
