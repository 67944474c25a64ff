import { createHash } from 'node:crypto';
import type { JsonEdit } from '../../../engine/document/edit-json.js';
import { problemOfPath } from '../../../engine/loading/app-folder.js';
import type { ComponentKind } from '../../../engine/loading/code-types.js';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';
import { nameProblem } from '../names.js';
import {
  type AddedComponent,
  addComponents,
  type Manifest,
  type NewAppFile,
  printContent,
  printJson,
  recordsOf,
  withMembers,
} from '../new-files.js';
import type { ImportedApp } from './import-openapi.js';

/** File of an app that remembers its import. It belongs into version control. */
export const STATE_FILE = '.iml/openapi.json';

/** Files that an import wrote. The next import uses them to detect edits. */
export interface ImportState {
  /** Options of the command, which the next import has too. */
  readonly options: Readonly<Record<string, string>>;
  /** Names of modules by operation. */
  readonly operations: Readonly<Record<string, string>>;
  /** Digests of the generated texts and manifest rows, by `module/listContacts/communication`. */
  readonly digests: Readonly<Record<string, string>>;
}

/**
 * Reads the state of an app. What an interrupted import was about to add and the manifest lacks is left out: it was not
 * deleted by hand.
 *
 * @throws EngineError (USAGE) for a text that no import wrote
 */
export function readState(text: string, manifest: Manifest): ImportState {
  const value: unknown = parse(text);
  if (!isPlainObject(value) || ownMember(value, 'fileVersion') !== 1) {
    throw new EngineError(
      'USAGE',
      `${STATE_FILE} is not a file of iml init app --openapi, or one of a later version.`,
    );
  }
  const texts = (name: string): Readonly<Record<string, string>> => {
    const members = ownMember(value, name);
    const entries = Object.entries(isPlainObject(members) ? members : {});
    return Object.fromEntries(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  };
  const missing = new Set(
    Object.entries(texts('adding')).flatMap(([name, kind]) =>
      recordsOf(manifest, kind as ComponentKind).has(name) ? [] : [`${kind}/${name}`],
    ),
  );
  const isMissing = (key: string): boolean => missing.has(key.split('/').slice(0, 2).join('/'));
  const keep = (
    entries: Readonly<Record<string, string>>,
    isKept: (key: string, value: string) => boolean,
  ): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(entries).filter(([key, written]) => isKept(key, written)));
  return {
    options: texts('options'),
    // A name becomes a part of paths.
    operations: keep(
      texts('operations'),
      (_, name) => nameProblem('module', name) === undefined && !missing.has(`module/${name}`),
    ),
    digests: keep(texts('digests'), (key) => !isMissing(key)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param adding components that the manifest is about to get: kinds by name */
export function printState(state: ImportState, adding: Readonly<Record<string, string>> = {}): string {
  return printJson({ fileVersion: 1, ...state, ...(Object.keys(adding).length > 0 && { adding }) });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** A file that differs from the import because it was edited. */
export interface KeptFile {
  readonly path: string;
  readonly current: string;
  readonly generated: string;
}

/** Output of an import. */
export interface ImportPlan {
  readonly writes: readonly NewAppFile[];
  readonly manifest: Manifest;
  readonly digests: Readonly<Record<string, string>>;
  readonly added: readonly AddedComponent[];
  /** Components with replaced files, and parts of the app: `module listContacts`, `base`. */
  readonly changed: readonly string[];
  readonly kept: readonly KeptFile[];
}

export type ReadText = (file: string) => Promise<string | undefined>;

/** Decides what to do with each generated text. */
export class ImportPlanner {
  readonly writes: NewAppFile[] = [];
  readonly digests: Record<string, string> = {};
  readonly kept: KeptFile[] = [];
  readonly #known: Readonly<Record<string, string>>;
  readonly #read: ReadText;

  constructor(known: Readonly<Record<string, string>>, read: ReadText) {
    this.#known = known;
    this.#read = read;
  }

  /**
   * A file is replaced if it is as the last import wrote it. A file that was changed by hand stays, and so does the
   * absence of one that was deleted.
   *
   * @returns whether the file is written
   */
  async addText(key: string, path: string, content: string): Promise<boolean> {
    const current = await this.#read(path);
    const known = ownMember(this.#known, key) as string | undefined;
    const digest = digestOf(content);
    if (current === content) {
      this.digests[key] = digest;
      return false;
    }
    if (current === undefined ? known === undefined : digestOf(current) === known) {
      this.digests[key] = digest;
      this.writes.push({ path, content });
      return true;
    }
    if (known !== undefined) this.digests[key] = known;
    // The document is unchanged, so there is nothing to compare.
    if (current !== undefined && digest !== known) this.kept.push({ path, current, generated: content });
    return false;
  }

  /** @returns the row to write; undefined to leave it */
  addRow(key: string, current: PlainObject, generated: PlainObject): PlainObject | undefined {
    const { codeFiles, ...own } = current;
    const [now, next] = [printJson(own), printJson(generated)];
    const known = ownMember(this.#known, key) as string | undefined;
    if (now === next || digestOf(now) === known) {
      this.digests[key] = digestOf(next);
      return now === next ? undefined : { ...generated, codeFiles };
    }
    if (known !== undefined) this.digests[key] = known;
    if (digestOf(next) !== known)
      this.kept.push({ path: `${MANIFEST}: ${key}`, current: now, generated: next });
    return undefined;
  }

  isKnown(key: string): boolean {
    return Object.hasOwn(this.#known, key);
  }
}

function keyOf(kind: ComponentKind, name: string): string {
  return `${kind}/${name}`;
}

/** Operations of an earlier import whose modules are no longer in the manifest. */
export function listDeleted(manifest: Manifest, { operations }: ImportState): ReadonlySet<string> {
  const modules = recordsOf(manifest, 'module');
  return new Set(Object.entries(operations).flatMap(([key, name]) => (modules.has(name) ? [] : [key])));
}

/**
 * Compares an import with the app.
 *
 * @param before manifest of the app; for a new app, with its general files and no components
 */
export async function planImport(
  imported: ImportedApp,
  before: Manifest,
  planner: ImportPlanner,
): Promise<ImportPlan> {
  const missing = imported.components.filter(
    ({ kind, name }) => !recordsOf(before, kind).has(name) && !planner.isKnown(keyOf(kind, name)),
  );
  const { manifest } = addComponents(before, missing);
  const changed = new Set<string>();
  const general = ownMember(manifest.value, 'generalCodeFiles');
  for (const [code, content] of Object.entries(imported.general)) {
    const file = readAt(general, code);
    if (typeof file !== 'string' || problemOfPath(file) !== undefined) continue;
    if (await planner.addText(`app/${code}`, file, printContent(content))) changed.add(code);
  }
  const edits: JsonEdit[] = [];
  for (const { kind, name, component } of imported.components) {
    const row = recordsOf(manifest, kind).get(name);
    // Deleted by hand, or left out on purpose.
    if (!isPlainObject(row)) continue;
    const key = keyOf(kind, name);
    const newRow = planner.addRow(key, row, component.row);
    if (newRow !== undefined) edits.push({ path: ['components', kind, name], value: newRow });
    const files = ownMember(row, 'codeFiles');
    const isWritten = await addFiles(planner, key, component.files, isPlainObject(files) ? files : {});
    if (newRow !== undefined || isWritten) changed.add(`${kind} ${name}`);
  }
  const isNew = (shown: string): boolean => missing.some(({ kind, name }) => shown === `${kind} ${name}`);
  return {
    writes: [...planner.writes],
    manifest: edits.length === 0 ? manifest : withMembers(manifest, edits),
    digests: planner.digests,
    added: missing,
    changed: [...changed].filter((shown) => !isNew(shown)),
    kept: planner.kept,
  };
}

async function addFiles(
  planner: ImportPlanner,
  key: string,
  contents: Readonly<Record<string, unknown>>,
  codeFiles: PlainObject,
): Promise<boolean> {
  let isWritten = false;
  for (const [code, content] of Object.entries(contents)) {
    const file = ownMember(codeFiles, code);
    // A row without the file leaves it out on purpose.
    if (typeof file !== 'string' || problemOfPath(file) !== undefined) continue;
    if (await planner.addText(`${key}/${code}`, file, printContent(content))) isWritten = true;
  }
  return isWritten;
}
