import { isSpreadKey } from '../../language/syntax/grammar.js';
import { MAX_NAMES } from '../../language/values/size-limits.js';
import { RecentlyUsed } from '../../shared/bounded-cache.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { childPointer, positionAt } from '../../shared/errors/source-location.js';
import { type PlainObject, setMember } from '../../shared/plain-object.js';
import { type Document, limitWarnings, type Warn } from './document.js';
import { findInJson, JsonIndex } from './find-in-json.js';
import { type JsonSource, walkJson } from './walk-json.js';

/**
 * Reads a file of an app: JSON with comments, trailing commas and an optional byte order mark. Of duplicate names the
 * last counts, with the warning `duplicate-key`. Locations are 1-based and ignore the byte order mark.
 *
 * @param file path relative to the app folder, for locations and messages
 * @throws SpecError (SPEC_JSON) with line, column and expectation, also for too much nesting; SPEC_INVALID for an
 * object with too many
 *   names [app]
 */
export function readDocument(text: string, file: string, warn?: Warn): Document {
  const source: JsonSource = { text: text.startsWith('\uFEFF') ? text.slice(1) : text, file };
  const place = INDEXES.own();
  const index = (): JsonIndex => place(() => new JsonIndex(source.text));
  const offsetOf = (pointer: string, offset?: number, part: 'value' | 'key' = 'value'): number => {
    const location = findInJson(index(), splitPointer(pointer));
    const key = location.exact && part === 'key' ? location.keyOffset : undefined;
    const start = key ?? location.offset;
    const inText = offset !== undefined && location.exact && source.text[start] === '"';
    return inText ? index().offsetInString(start, offset) : start;
  };
  return {
    value: readValue(source, warn && limitWarnings(warn)),
    file,
    text: source.text,
    offsetOf,
    locationOf: (pointer, offset, part) => ({
      file,
      pointer,
      ...index().positionAt(offsetOf(pointer, offset, part)),
    }),
  };
}

/**
 * The four to eight files whose locations were used last. Locations are needed rarely, then many of one file. [choice]
 */
const INDEXES = new RecentlyUsed<JsonIndex>(8);

/** Splits a JSON pointer into unescaped steps. Source: RFC 6901 section 4. */
function splitPointer(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Container =
  | { readonly kind: 'object'; readonly value: PlainObject; key: string; names: number }
  | { readonly kind: 'array'; readonly value: unknown[] };

function readValue(source: JsonSource, warn: Warn | undefined): unknown {
  const open: Container[] = [];
  let root: unknown;

  const put = (value: unknown): void => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (parent.kind === 'array') parent.value.push(value);
    else setMember(parent.value, parent.key, value);
  };

  walkJson(source, {
    key: (name, offset) => {
      const parent = open.at(-1);
      if (parent?.kind !== 'object') return;
      parent.key = name;
      if (++parent.names > MAX_NAMES) throw tooWide(source, offset);
      if (warn && Object.hasOwn(parent.value, name)) {
        warn('duplicate-key', duplicateMessage(name), () => ({
          file: source.file,
          pointer: pointerTo(open),
          ...positionAt(source.text, offset),
        }));
      }
    },
    enter: (kind) => {
      const container: Container =
        kind === 'object' ? { kind, value: {}, key: '', names: 0 } : { kind, value: [] };
      put(container.value);
      open.push(container);
    },
    leave: () => void open.pop(),
    scalar: put,
  });
  return root;
}

function tooWide({ text, file }: JsonSource, offset: number): SpecError {
  const { line, column } = positionAt(text, offset);
  const message = `${file}:${line}:${column}: More than ${MAX_NAMES} names in one object.`;
  return new SpecError('SPEC_INVALID', message, { place: { file, line, column } });
}

function duplicateMessage(name: string): string {
  // Source:
  // https://developers.make.com/custom-apps-documentation/best-practices/input-parameters/processing-of-input-parameters:
  // several spread keys in one object cannot be distinguished. [inf]
  if (isSpreadKey(name)) return 'A second spread key "{{...}}" in one object; only the last one counts.';
  return `The member "${name}" is written twice; only the last one counts.`;
}

function pointerTo(open: readonly Container[]): string {
  let pointer = '';
  for (const container of open) {
    pointer = childPointer(pointer, container.kind === 'object' ? container.key : container.value.length - 1);
  }
  return pointer;
}
