#!/usr/bin/env node
import { readFile } from "node:fs/promises";

import { InvalidArgs, main, tool } from "./agentctl-tool.mjs";
import { count } from "./count.mjs";

tool({
  name: "count",
  description:
    "Count the characters, words, sentences, lines and paragraphs of a text or a text file, and say how easy an English one is to read (Flesch reading ease, 0 hard to 100 easy).",
  parameters: {
    type: "object",
    properties: {
      text: { type: "string", description: "The text itself. Give either this or file." },
      file: { type: "string", minLength: 1, description: "UTF-8 text file to read, relative to the current folder." },
      language: { type: "string", minLength: 2, default: "en", description: "Language of the text, such as en or de; it decides where words end." },
    },
  },
  annotations: { readOnlyHint: true },
}, async ({ text, file, language }) => {
  if ((text === undefined) === (file === undefined)) throw new InvalidArgs("text", "give either text or file");
  if (!supported(language)) throw new InvalidArgs("language", `${JSON.stringify(language)} is no language tag; use one such as en or pt-BR`);
  return count(text ?? await read(file), language);
});

function supported(language) {
  try {
    return Intl.Segmenter.supportedLocalesOf(language).length > 0;
  } catch {
    return false;
  }
}

async function read(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch (error) {
    const reason = { ENOENT: "does not exist; give a path relative to the current folder", EISDIR: "is a folder", EACCES: "cannot be read" }[error.code];
    if (reason) throw new InvalidArgs("file", `${JSON.stringify(file)} ${reason}`);
    if (error instanceof TypeError) throw new InvalidArgs("file", `${JSON.stringify(file)} is no UTF-8 text`);
    throw error;
  }
}

await main();
