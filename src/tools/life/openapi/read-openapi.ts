import { LineCounter, parseDocument } from 'yaml';
import { MAX_JSON_DEPTH } from '../../../engine/document/document.js';
import { readDocument } from '../../../engine/document/jsonc.js';
import { SpecError } from '../../../shared/errors/engine-error.js';
import { positionAt, type SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';

/** An OpenAPI document: plain data with its references unresolved. */
export interface OpenApiDocument {
  readonly root: PlainObject;
  /** As written: `3.1.0`. */
  readonly version: string;
}

/** Aliases of YAML may multiply a small text. */
const MAX_ALIASES = 10_000;

/**
 * Reads an OpenAPI 3.0 or 3.1 document in JSON or YAML.
 *
 * @param file as the user named it, for messages and its extension
 * @throws SpecError (SPEC_JSON) with line and column for a text that is neither; SPEC_INVALID for another document
 */
export function readOpenApi(text: string, file: string): OpenApiDocument {
  const isJson = /\.jsonc?$/i.test(file) || (!/\.ya?ml$/i.test(file) && /^\uFEFF?\s*\{/.test(text));
  const value = isJson ? readDocument(text, file).value : readYaml(text, file);
  const found = describeDocument(value);
  if (found !== undefined || !isPlainObject(value)) {
    const message = `${file}: Found ${found}; expected an OpenAPI 3.0 or 3.1 document.${hintFor(value)}`;
    throw new SpecError('SPEC_INVALID', message, { place: { file } });
  }
  if (!isPlainObject(ownMember(value, 'paths'))) {
    const message = `${file}: The document has no paths, so there is nothing to import.`;
    throw new SpecError('SPEC_INVALID', message, { place: { file, pointer: '/paths' } });
  }
  return { root: value, version: String(ownMember(value, 'openapi')) };
}

function readYaml(written: string, file: string): unknown {
  const text = written.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  try {
    // Names that occur twice are refused: YAML does not say which one counts.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) {
      throw syntaxError(file, positionAt(text, error.pos[0]), error.message);
    }
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (isDeeper(value, MAX_JSON_DEPTH)) {
      throw syntaxError(file, {}, `Nested deeper than ${MAX_JSON_DEPTH} levels.`);
    }
    return value;
  } catch (error) {
    if (error instanceof SpecError) throw error;
    // The parser recurses, and refuses aliases that multiply.
    const reason = error instanceof RangeError ? 'Nested too deeply.' : (error as Error).message;
    throw syntaxError(file, {}, reason, error);
  }
}

function syntaxError(
  file: string,
  at: Pick<SourceLocation, 'line' | 'column'>,
  reason: string,
  cause?: unknown,
): SpecError {
  const position = at.line === undefined ? '' : `:${at.line}:${at.column}`;
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return new SpecError('SPEC_JSON', `${file}${position}: Invalid YAML: ${sentence}`, {
    cause,
    place: { file, ...at },
  });
}

/** Also true for a value that contains itself, which aliases can write. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Kind of a document that cannot be imported. */
function describeDocument(value: unknown): string | undefined {
  if (!isPlainObject(value)) return Array.isArray(value) ? 'a list' : 'no object';
  const version = ownMember(value, 'openapi');
  if (version !== undefined) {
    return /^3\.[01](?:\.|$)/.test(String(version)) ? undefined : `OpenAPI ${String(version).slice(0, 20)}`;
  }
  const known = KNOWN_DOCUMENTS.find(([key]) => ownMember(value, key) !== undefined);
  if (known !== undefined) {
    const [key, name] = known;
    const written = ownMember(value, key);
    return typeof written === 'string' && key !== '$schema' ? `${name} ${written.slice(0, 20)}` : name;
  }
  const info = ownMember(value, 'info');
  if (isPlainObject(info) && ownMember(info, '_postman_id') !== undefined) return 'a Postman collection';
  return 'an object without the member "openapi"';
}

const KNOWN_DOCUMENTS = [
  ['swagger', 'Swagger'],
  ['asyncapi', 'AsyncAPI'],
  ['arazzo', 'Arazzo'],
  ['overlay', 'an OpenAPI Overlay'],
  ['log', 'a HAR file'],
  ['__schema', 'a GraphQL schema'],
  ['$schema', 'a JSON Schema'],
] as const;

function hintFor(value: unknown): string {
  const isSwagger = isPlainObject(value) && ownMember(value, 'swagger') !== undefined;
  return isSwagger ? ' Convert it first, for example with the package swagger2openapi.' : '';
}
