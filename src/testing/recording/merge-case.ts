import { editJson } from '../../document/reading/edit-json.js';
import { escapeUnsafe } from '../../util/escape-unsafe.js';
import { MADE_UP_NOTE } from '../cases/made-up-note.js';
import type { ReadCase } from '../cases/read-case.js';
import type { TestCase } from '../cases/test-case.js';
import { printMember } from './print-case.js';

/** Order of the members of a case. */
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

/** Members that a recording replaces. */
const RECORDED = ['recorded', 'secrets', 'input', 'common', 'exchanges', 'expect'] as const;

/**
 * Merges a recording into the text of its case and removes `record`. Other members and comments stay.
 *
 * @param keepsExpectation whether to keep `expect`
 */
export function mergeCase({ document }: ReadCase, recorded: TestCase, keepsExpectation: boolean): string {
  const members = RECORDED.filter((name) => name !== 'expect' || !keepsExpectation);
  const text = (document.text ?? '').replace(`${MADE_UP_NOTE}\n`, '');
  // Inserts marks first, which are then replaced by the printed values.
  const marks = members.flatMap((name) => {
    const value = recorded[name];
    if (value === undefined) return [];
    return [{ name, mark: `\u0000${name}`, printed: escapeUnsafe(printMember(name, value)) }];
  });
  // Common data are read from the app again; unused secrets are removed.
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
