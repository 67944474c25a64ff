import { findSignature, printSignature } from '../../language/functions/signatures.js';
import { isPlainName, KEYWORDS } from '../../language/syntax/grammar.js';
import type { Subject } from '../check/subject/subject.js';
import { listVisibleNames, NAME_MEANINGS } from '../check/subject/visible-names.js';
import { type Cursor, readPrefix } from './cursor.js';
import { listMembers } from './known-members.js';
import { listRecordedItems } from './recorded-bodies.js';
import { readOwnParameters } from './symbol.js';

/** A completion item. */
export interface Suggestion {
  readonly label: string;
  readonly kind: 'function' | 'variable' | 'member' | 'keyword' | 'reference';
  readonly detail?: string | undefined;
  /** Markdown. */
  readonly about?: string | undefined;
  /** Inserted text, if it differs from the label; `$0` is the cursor. */
  readonly snippet?: string | undefined;
  /** Number of replaced characters before the cursor. */
  readonly replaces: number;
}

/** Completion items in a string: names, members, functions, RPC URLs. */
export function listSuggestions(
  subject: Subject,
  cursor: Cursor,
  recordedBodies: readonly unknown[] = [],
): readonly Suggestion[] {
  const { expression, checked, location, string } = cursor;
  if (expression === undefined || checked === undefined || location === undefined) {
    return string === undefined || string.isKey ? [] : suggestRpcs(subject, cursor);
  }
  const prefix = readPrefix(expression.before);
  if (prefix === undefined) return [];
  const replaces = prefix.partial.length;
  if (prefix.parents.length > 0 || expression.before.endsWith('.')) {
    const recorded = {
      body: recordedBodies,
      item: listRecordedItems(checked, location, recordedBodies),
    };
    return listMembers(subject, checked, prefix.parents, recorded).map(({ name, detail, about }) => ({
      label: name,
      kind: 'member' as const,
      detail,
      about,
      replaces,
      ...(!isPlainName(name) && !name.startsWith('`') && { snippet: `\`${name}\`` }),
    }));
  }
  return [
    ...listVisibleNames(subject.app, checked, location).map((label) => ({
      label,
      kind: 'variable' as const,
      about: NAME_MEANINGS[label],
      replaces,
    })),
    ...subject.functionNames.map((label) => suggestFunction(subject, label, replaces)),
    ...[...KEYWORDS.keys()].map((label) => ({ label, kind: 'keyword' as const, replaces })),
  ];
}

function suggestFunction({ app }: Subject, label: string, replaces: number): Suggestion {
  const own = app.functions.get(label);
  const signature = own === undefined ? findSignature(label) : undefined;
  return {
    label,
    kind: 'function',
    replaces,
    snippet: `${label}($0)`,
    detail:
      signature === undefined
        ? `${label}(${own === undefined ? '' : readOwnParameters(own).join('; ')}), function of the app`
        : printSignature(signature),
    about: signature?.about,
  };
}

/** `rpc://name` in forms. */
function suggestRpcs({ app }: Subject, { checked, path, string, offset }: Cursor): readonly Suggestion[] {
  if (checked?.kind !== 'parameters') return [];
  const last = path.at(-1);
  const takesRpc =
    last === 'options' || last === 'nested' || last === 'store' || last === 'spec' || path.length === 1;
  if (!takesRpc) return [];
  return [...app.rpcs.values()].map(({ name, label }) => ({
    label: `rpc://${name}`,
    kind: 'reference' as const,
    detail: label,
    replaces: offset - (string?.start ?? offset),
  }));
}
