import type { CheckedDocument } from '../check/subject/checked-document.js';
import type { Subject } from '../check/subject/subject.js';
import { flattenFields } from './known-members.js';
import { findConnectionMember, findTempOwner, formsSeenBy } from './owners.js';
import type { AppSymbol, Found } from './symbol.js';

/** Members of `parameters`, `connection` and `temp`, and calls of custom functions. */
export function findInExpressions(subject: Subject): readonly Found[] {
  const results: Found[] = [];
  for (const site of subject.expressions) {
    const { file } = site.in.document;
    if (file === undefined) continue;
    const add = (symbol: AppSymbol, from: number): void => {
      const start = site.offsetAt(from);
      const end = site.offsetAt(from + symbol.name.length);
      if (start !== undefined && end !== undefined)
        results.push({ symbol, at: { file, start, end, isDefinition: false } });
    };
    for (const node of site.nodes) {
      if (node.kind === 'call' && subject.app.functions.has(node.name))
        add({ kind: 'function', name: node.name }, node.start);
    }
    for (const path of site.paths) {
      const [member] = path.members;
      if (member?.name === undefined) continue;
      const isQuoted = site.parsed.ok && site.parsed.template.source[member.node.end - 1] === '`';
      const from = member.node.end - member.name.length - (isQuoted ? 1 : 0);
      const symbol = findMemberSymbol(subject, site.in, path.root.name, member.name);
      if (symbol !== undefined) add(symbol, from);
    }
  }
  return results;
}

function findMemberSymbol(
  subject: Subject,
  checked: CheckedDocument,
  root: string,
  name: string,
): AppSymbol | undefined {
  if (root === 'temp') return { kind: 'temp', name, owner: findTempOwner(subject, checked, name) };
  if (root === 'connection') return findConnectionMember(subject, checked, name);
  if (root !== 'parameters') return undefined;
  const declaring = formsSeenBy(subject, checked).find(({ fields }) =>
    flattenFields(fields).some((field) => field.name === name),
  );
  return declaring && { kind: 'parameter', name, owner: declaring.owner };
}
