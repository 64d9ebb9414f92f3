// Run with: npm ci && npm test
import assert from "node:assert/strict";
import { test } from "node:test";

import { count } from "./count.mjs";

const tests = [
  ["nothing", "", "en", { characters: 0, words: 0, distinct_words: 0, sentences: 0, lines: 0, paragraphs: 0, bytes: 0 }],
  ["two sentences", "The cat sat. The dog ran!\n", "en", { characters: 26, words: 6, distinct_words: 5, sentences: 2, lines: 1, paragraphs: 1, bytes: 26, reading_ease: 119.2 }],
  ["paragraphs", "One\ntwo\n\nthree", "de", { characters: 14, words: 3, distinct_words: 3, sentences: 3, lines: 4, paragraphs: 2, bytes: 14 }],
  ["what a reader sees", "👩‍👩‍👧 é", "fr", { characters: 3, words: 1, distinct_words: 1, sentences: 1, lines: 1, paragraphs: 1, bytes: 21 }],
];

for (const [name, text, language, want] of tests) {
  test(name, () => assert.deepEqual(count(text, language), want));
}
