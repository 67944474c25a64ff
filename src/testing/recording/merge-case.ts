import { editJson } from '../../document/reading/edit-json.js';
import { escapeUnsafe } from '../../util/escape-unsafe.js';
import { MADE_UP_NOTE } from '../cases/made-up-note.js';
import type { ReadCase } from '../cases/read-case.js';
import type { TestCase } from '../cases/test-case.js';
import { printMember } from './print-case.js';

/** Members of a case in the order people read them. */
const ORDER = [
  ...([
    '$schema',
    'name',
    'title',
    'note',
    'component',
    'kind',
    'live',
    'recorded',
    'secrets',
    'input',
  ] as const),
  ...(['common', 'ignore', 'exchanges', 'expect'] as const),
] as const;

/** What a recording says anew. */
const RECORDED = ['recorded', 'secrets', 'input', 'common', 'exchanges', 'expect'] as const;

/**
 * Puts what was recorded into the text of the case that asked for it, in place of the asking. All else, comments outside of
 * what is recorded included, stays as it is written.
 *
 * @param keepsExpectation whether what the case expects is left as it is
 */
export function mergeCase({ document }: ReadCase, recorded: TestCase, keepsExpectation: boolean): string {
  const members = RECORDED.filter((name) => name !== 'expect' || !keepsExpectation);
  const text = (document.text ?? '').replace(`${MADE_UP_NOTE}\n`, '');
  // Each value is put in by a mark first, so that it can be printed as a recording is.
  const marks = members.flatMap((name) => {
    const value = recorded[name];
    if (value === undefined) return [];
    return [{ name, mark: `\u0000${name}`, printed: escapeUnsafe(printMember(name, value)) }];
  });
  // Common data of the app's own are read again where the case is played; secrets that stood for nothing are gone.
  const gone = members.filter((name) => recorded[name] === undefined);
  const edits = [
    { path: ['record'], value: undefined },
    ...gone.map((name) => ({ path: [name], value: undefined })),
    ...marks.map(({ name, mark }) => ({ path: [name], value: mark })),
  ];
  const marked = editJson(text, edits, ORDER);
  return marks.reduce(
    (whole, { mark, printed }) => whole.replace(JSON.stringify(mark), () => printed),
    marked,
  );
}
