import { syllable } from "syllable";

/** Counts what a text is made of. Characters are those that a reader sees, so an emoji is one. */
export function count(text, language) {
  const segments = (granularity) => [...new Intl.Segmenter(language, { granularity }).segment(text)];
  const words = segments("word").filter((s) => s.isWordLike).map((s) => s.segment);
  const sentences = segments("sentence").filter((s) => /[\p{L}\p{N}]/u.test(s.segment)).length;
  const result = {
    characters: segments("grapheme").length,
    words: words.length,
    distinct_words: new Set(words.map((w) => w.toLocaleLowerCase(language))).size,
    sentences,
    lines: text === "" ? 0 : text.replace(/\r?\n$/, "").split(/\r?\n/).length,
    paragraphs: text.split(/\r?\n\s*\r?\n/).filter((p) => p.trim() !== "").length,
    bytes: Buffer.byteLength(text),
  };
  if (language.split("-")[0] === "en" && words.length > 0 && sentences > 0) result.reading_ease = readingEase(words, sentences);
  return result;
}

/** The formula of Rudolf Flesch, to one decimal. */
function readingEase(words, sentences) {
  const syllables = words.reduce((sum, word) => sum + Math.max(1, syllable(word)), 0);
  return Math.round((206.835 - 1.015 * (words.length / sentences) - 84.6 * (syllables / words.length)) * 10) / 10;
}
