import { SpecError } from '../../shared/errors/engine-error.js';
import { formatLocation, type SourceLocation } from '../../shared/errors/source-location.js';
import type { SourceText } from '../assembling/app-parts.js';
import type { CodeType } from '../assembling/code-types.js';
import { type Document, limitWarnings, type Warn } from '../document/document.js';
import { readDocument } from '../document/jsonc.js';
import type { AppFolder } from './app-folder.js';

/** A file of a component. */
export interface CodeFile {
  /** Code type as in the manifest. */
  readonly name: string;
  readonly type: CodeType;
  /** Relative to the app. */
  readonly file: string;
  /** Location of the path, for errors and warnings. */
  readonly locationOf: () => SourceLocation;
}

export interface ReadFiles {
  readonly documents: ReadonlyMap<string, Document>;
  readonly sources: ReadonlyMap<string, SourceText>;
}

/** Reads the files of components, each once. */
export interface CodeReader {
  /** @throws SpecError SPEC_MISSING, SPEC_READ, SPEC_JSON. */
  readonly read: (owner: string, files: readonly CodeFile[]) => Promise<ReadFiles>;
}

/** Creates a reader. Optional missing files, empty files and duplicate uses become warnings. */
export function createCodeReader(folder: AppFolder, warn: Warn): CodeReader {
  const known = new Map<string, Document | undefined>();
  const warnMissing = limitWarnings(warn);

  const parseDocument = (text: string, code: CodeFile): Document | undefined => {
    if (known.has(code.file)) return known.get(code.file);
    // Unused parts can be empty files.
    const document = text.trim() === '' ? undefined : readDocument(text, code.file, warn);
    if (document === undefined) {
      warnMissing('missing-file', `The file is empty; expected ${code.name}.`, () => ({
        file: code.file,
      }));
    }
    known.set(code.file, document);
    return document;
  };

  return {
    read: async (owner, files) => {
      const documents = new Map<string, Document>();
      const sources = new Map<string, SourceText>();
      for (const code of files) {
        const text = await readText(folder, owner, code, warnMissing);
        if (text === undefined) continue;
        if (code.type.contents === 'source') {
          sources.set(code.name, { text: text.replace(/^\uFEFF/, ''), file: code.file });
          continue;
        }
        const document = parseDocument(text, code);
        if (document) documents.set(code.name, document);
      }
      return { documents, sources };
    },
  };
}

/** The text of a file; undefined with a warning if it is optional and missing. */
async function readText(
  folder: AppFolder,
  owner: string,
  code: CodeFile,
  warn: Warn,
): Promise<string | undefined> {
  try {
    const text = await folder.read(code.file, code.locationOf);
    if (text === undefined) tellMissing(owner, code, warn);
    return text;
  } catch (error) {
    if (!(error instanceof SpecError) || error.code !== 'SPEC_READ' || code.type.runs) throw error;
    warn('unread-file', error.message, code.locationOf);
    return undefined;
  }
}

function tellMissing(owner: string, code: CodeFile, warn: Warn): void {
  const message = `The ${code.name} of ${owner} is in the file "${code.file}", which does not exist.`;
  if (code.type.runs) {
    const place = code.locationOf();
    throw new SpecError('SPEC_MISSING', `${formatLocation(place)}: ${message}`, { place });
  }
  warn('missing-file', message, code.locationOf);
}
