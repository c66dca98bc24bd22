"""Writes the parts of the fonts that the pictures need: subset.py SHARE NEW."""

import bz2
import sys
import unicodedata

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.ttLib.scaleUpem import scale_upem

share, new = sys.argv[1:]
noto = share + "/fonts/truetype/noto/"
droid = share + "/fonts-droid-fallback/truetype/DroidSansFallback.ttf"
unifont = share + "/fonts/opentype/unifont/"
have = set()


def write(name, source, points, units, layout=True):
    """Write the font with these code points and so many units of its size."""
    options = subset.Options()
    options.hinting = False
    options.name_IDs = [0, 5, 13, 14]  # copyright, version, licence and its address
    options.drop_tables += ["vhea", "vmtx", "VORG", "gasp", "BASE", "OS/2"]
    if not layout:
        options.layout_features = []
    font = subset.load_font(source, options)
    s = subset.Subsetter(options)
    s.populate(unicodes=points if points else font.getBestCmap())
    s.subset(font)
    if units:
        scale_upem(font, units)
    have.update(font.getBestCmap())
    font.save(new + "/" + name)


def span(*pairs):
    return {c for first, last in pairs for c in range(first, last + 1)}


def assigned(points):
    return {c for c in points if unicodedata.category(chr(c)) not in ("Cn", "Co", "Cs", "Cc")}


def encoded(codec, first_byte=0xFF):
    """Han characters of an encoding."""
    found = set()
    for c in range(0x4E00, 0x9FA6):
        try:
            if chr(c).encode(codec)[0] <= first_byte:
                found.add(c)
        except UnicodeEncodeError:
            pass
    return found


def unihan(file, *fields):
    """Han characters that have one of the fields of the Unihan database."""
    with bz2.open(f"{share}/unicode/Unihan_{file}.txt.bz2", "rt", encoding="utf-8") as lines:
        rows = (line.split("\t") for line in lines if line.startswith("U+"))
        return {int(row[0][2:], 16) for row in rows if row[1] in fields} & span((0x4E00, 0x9FA5))


latin = span((0x20, 0x7E), (0xA0, 0x36F), (0x370, 0x52F), (0x1E00, 0x1FFF), (0x2000, 0x20BF), (0x2100, 0x218F))
write("latin.ttf", noto + "NotoSans-Regular.ttf", latin, 500)
write("latin-bold.ttf", noto + "NotoSans-Bold.ttf", latin, 500)
write("math.ttf", noto + "NotoSansMath-Regular.ttf", span((0x2190, 0x2193), (0x2200, 0x22FF)), 500, layout=False)
for script in "Hebrew", "Arabic", "Devanagari", "Thai":
    write(script.lower() + ".ttf", f"{noto}NotoSans{script}-Regular.ttf", None, 500)
write("hangul.ttf", droid, span((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7A3)), 128, layout=False)

# Han characters of the national standards, and those that are allowed in names.
lower_big5 = 0xC6  # the last first byte of the frequent characters
han = encoded("gb2312") | encoded("shift_jis") | encoded("euc-kr") | encoded("big5", lower_big5)
han |= unihan("OtherMappings", "kTGH", "kKoreanName", "kJinmeiyoKanji") | unihan("DictionaryLikeData", "kHKGlyph")
write("han.ttf", droid, han | span((0x2E80, 0x312F), (0x3190, 0x33FF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF)), 128, layout=False)

# The rest of the basic plane, but for Han characters of the extensions.
rest = assigned(span((0x20, 0x33FF), (0x4E00, 0xABFF), (0xF900, 0xFFFD))) - have
write("rest.otf", unifont + "unifont.otf", rest | {0x20, 0x25CC, 0xFFFD}, None)
write("emoji.otf", unifont + "unifont_upper.otf", assigned(span((0x1F000, 0x1FAFF))) | {0x20}, None)
