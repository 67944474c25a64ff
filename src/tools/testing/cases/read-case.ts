import type { Document } from '../../../engine/document/document.js';
import { readDocument } from '../../../engine/document/jsonc.js';
import { CaseError, messageWithoutPlace, SpecError } from '../../../shared/errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import type { SchemaProblem } from '../../../shared/schema/schema-check.js';
import { didYouMean } from '../../../shared/suggest.js';
import { RESPONSE_BODIES } from '../exchanges/exchange-shape.js';
import { BODY_MEMBERS } from '../exchanges/match-request.js';
import { type InertPart, listInertParts } from '../fixtures/inert-parts.js';
import type { BodyFile } from './body-files.js';
import { checkCaseShape } from './check-case-shape.js';
import { fillPlaceholders } from './placeholders.js';
import type { TestCase } from './test-case.js';

/** A case as written and as run. */
export interface ReadCase {
  /** Unique in an app: `listOrders/paging`. */
  readonly name: string;
  /** The path for messages. */
  readonly file: string;
  /** Text and source locations of the file. */
  readonly document: Document;
  /** With placeholders and names of body files. */
  readonly written: TestCase;
  /** With fake secrets and the content of body files. */
  readonly played: TestCase;
  /** Contents of body files by name. */
  readonly bodyFiles: ReadonlyMap<string, Uint8Array>;
}

/** A case, or all problems of its file. */
export type CaseReading =
  | { readonly ok: true; readonly case: ReadCase }
  | {
      readonly ok: false;
      readonly name: string;
      readonly file: string;
      readonly errors: readonly CaseError[];
    };

export interface ReadCaseOptions {
  /** The path for messages. */
  readonly file: string;
  /** The name of the case without a `name` member. */
  readonly name: string;
  /** Reads a file in `<case>.bodies/`. Default: there are no files. */
  readonly readBody?: (name: string) => Promise<BodyFile>;
}

/** Parses a case: JSON with comments. Never rejects because of the content. */
export async function readCase(text: string, options: ReadCaseOptions): Promise<CaseReading> {
  const { file, name } = options;
  const fail = (errors: readonly CaseError[]): CaseReading => ({ ok: false, name, file, errors });
  const errors: CaseError[] = [];
  let document: Document;
  try {
    document = readDocument(text, file, (_code, message, place) =>
      errors.push(new CaseError(message, { place: place() })),
    );
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return fail([new CaseError(messageWithoutPlace(error), { place: error.place, cause: error })]);
  }
  errors.push(...listCaseProblems(document));
  if (errors.length > 0) return fail(errors);
  // The structure was checked above.
  const written = document.value as TestCase;
  const bodies = await placeBodies(written, document, options);
  if (bodies.errors.length > 0) return fail(bodies.errors);
  const played = fillPlaceholders(bodies.case, written.secrets) as TestCase;
  const { files: bodyFiles } = bodies;
  return { ok: true, case: { name: written.name ?? name, file, document, written, played, bodyFiles } };
}

interface PlacedBodies {
  readonly case: TestCase;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly errors: readonly CaseError[];
}

/** Replaces names of body files by their contents. */
async function placeBodies(
  written: TestCase,
  document: Document,
  { readBody }: ReadCaseOptions,
): Promise<PlacedBodies> {
  const errors: CaseError[] = [];
  const exchanges: unknown[] = [];
  const files = new Map<string, Uint8Array>();
  const keep = async (name: string): Promise<BodyFile> => {
    const read = await (readBody?.(name) ?? { ok: false as const, problem: 'cannot be read here' });
    if (read.ok) files.set(name, read.bytes);
    return read;
  };
  for (const [index, exchange] of (written.exchanges ?? []).entries()) {
    const placed: PlainObject = { ...exchange };
    for (const side of ['request', 'response'] as const) {
      const part = exchange[side];
      if (part?.bodyFile === undefined) continue;
      const pointer = `/exchanges/${index}/${side}/bodyFile`;
      const filled = await placeBody({ ...part }, side, document.locationOf(pointer), keep);
      if (filled instanceof CaseError) errors.push(filled);
      else placed[side] = filled;
    }
    exchanges.push(placed);
  }
  if (written.exchanges === undefined) return { case: written, files, errors };
  const whole = { ...written, exchanges: exchanges as NonNullable<TestCase['exchanges']> };
  return { case: whole, files, errors };
}

async function placeBody(
  { bodyFile: named, ...rest }: PlainObject,
  side: 'request' | 'response',
  place: SourceLocation,
  readBody: NonNullable<ReadCaseOptions['readBody']>,
): Promise<PlainObject | CaseError> {
  const bodyFile = String(named);
  const others: readonly string[] = side === 'request' ? BODY_MEMBERS : RESPONSE_BODIES;
  const other = others.find((name) => Object.hasOwn(rest, name));
  if (other !== undefined)
    return new CaseError(`The ${side} has bodyFile and ${other}, which exclude each other.`, { place });
  const read = await readBody(bodyFile);
  if (!read.ok) return new CaseError(`The body file "${bodyFile}" ${read.problem}.`, { place });
  const filled: PlainObject = { ...rest };
  const buffer = Buffer.from(read.bytes);
  if (bodyFile.endsWith('.txt')) setMember(filled, 'bodyText', buffer.toString('utf8'));
  else if (!bodyFile.endsWith('.json')) setMember(filled, 'bodyBase64', buffer.toString('base64'));
  else if (side === 'response') {
    // The bytes stay unchanged, because spacing and number formats may matter.
    setMember(filled, 'bodyText', buffer.toString('utf8'));
    setMember(filled, 'headers', { 'content-type': 'application/json', ...(rest['headers'] as object) });
  } else {
    try {
      setMember(filled, 'body', JSON.parse(buffer.toString('utf8')));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return new CaseError(`The body file "${bodyFile}" is not JSON: ${reason}`, { place });
    }
  }
  return filled;
}

/** All problems of the content of a case, with source locations. */
function listCaseProblems(document: Document): readonly CaseError[] {
  const { value } = document;
  if (!isPlainObject(value)) return [problem(document, '', 'A case must be an object.')];
  const inert = listInertParts(value).map((part) => placeInertPart(document, part));
  const shape = shapeProblems(document, checkCaseShape(value), inert);
  const found = [...inert.map(({ error }) => error), ...shape];
  return found.length > 0 ? found : listMissing(document, value);
}

function problem(
  document: Document,
  pointer: string,
  message: string,
  part: 'value' | 'key' = 'value',
): CaseError {
  return new CaseError(message, { place: document.locationOf(pointer, undefined, part) });
}

/** A component that a valid case still lacks. */
function listMissing(document: Document, value: PlainObject): readonly CaseError[] {
  const hasSubject = ['component', 'app'].some((name) => Object.hasOwn(value, name));
  return hasSubject || ownMember(value, 'kind') === 'scenario'
    ? []
    : [problem(document, '', 'The case names no component, such as "component": "module:listOrders".')];
}

interface PlacedProblem {
  readonly pointer: string;
  readonly error: CaseError;
}

/** Problems of the structure below `pointer` are not reported again. */
function placeInertPart(document: Document, { path, message }: InertPart): PlacedProblem {
  const pointer = path.reduce<string>(childPointer, '');
  if (!String(path.at(-1)).startsWith('$')) return { pointer, error: problem(document, pointer, message) };
  const around = path.slice(0, -1).reduce<string>(childPointer, '');
  return { pointer: around, error: problem(document, pointer, message, 'key') };
}

/** One problem per location; merges those of alternatives. */
function shapeProblems(
  document: Document,
  problems: readonly SchemaProblem[],
  matchers: readonly PlacedProblem[],
): readonly CaseError[] {
  const byPointer = new Map<string, SchemaProblem[]>();
  for (const found of problems) {
    const pointer = found.path.reduce<string>(childPointer, '');
    if (matchers.some((matcher) => isAtOrBelow(pointer, matcher.pointer))) continue;
    const key = found.unknown === undefined ? pointer : childPointer(pointer, found.unknown.name);
    byPointer.set(key, [...(byPointer.get(key) ?? []), found]);
  }
  return [...byPointer].flatMap(([pointer, found]) => {
    const [first] = found;
    if (first?.unknown !== undefined) {
      const { name, known } = first.unknown;
      const hint = didYouMean(name, known) || ` There are ${known.join(', ')}.`;
      return [problem(document, pointer, `Unknown member "${name}".${hint}`, 'key')];
    }
    if (first?.keyword === 'required') {
      const name = first.path.at(-1) ?? '';
      const where = first.path.slice(0, -1).join('.') || 'The case';
      return [problem(document, pointer, `${where} lacks the member "${name}".`)];
    }
    // Lists what every alternative expects.
    const wants = [
      ...new Set(
        found.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if').map(({ message }) => message),
      ),
    ];
    if (wants.length === 0) return [];
    return [problem(document, pointer, `${first?.path.join('.') || 'The case'} ${wants.join(' or ')}.`)];
  });
}

function isAtOrBelow(pointer: string, parent: string): boolean {
  return pointer === parent || pointer.startsWith(`${parent}/`);
}
