import type { ParameterElement, ParameterSpec } from '../../../engine/parameters/parameter-spec.js';
import type { PathMember } from '../../../language/syntax/walk-expression.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Rule } from '../rule.js';
import type { CheckedDocument } from '../subject/checked-document.js';
import { declaredParameters } from '../subject/declared-names.js';
import { findingAt } from '../subject/expression-site.js';
import { readableForm } from '../subject/form-fields.js';
import type { Subject } from '../subject/subject.js';
import { createMemberRule } from './member-rules.js';

const FIRST_MEMBERS: Rule = createMemberRule({
  id: 'undeclared-parameter',
  level: 'warning',
  summary: 'An expression reads a parameter that the form does not declare.',
  why: 'Users cannot enter the parameter, so it is undefined. Fields below options, nested fields and arguments of `rpc://` addresses are declared too. If an RPC returns the fields, the rule reports nothing. Members of a collection are compared with its `spec`.',
  bad: '"url": "/users/{{parameters.userID}}"',
  good: '"url": "/users/{{parameters.userId}}"',
  roots: ['parameters'],
  declared: (subject, { in: checked }) => declaredParameters(subject, checked),
  message: (name) => `No field declares the parameter "${name}".`,
});

export const undeclaredParameter: Rule = {
  ...FIRST_MEMBERS,
  check: (subject, report) => {
    FIRST_MEMBERS.check(subject, report);
    for (const site of subject.expressions) {
      for (const { root, members } of site.paths) {
        if (root.name !== 'parameters' || members.length < 2) continue;
        const unknown = findUnknownMember(listElements(subject, site.in), members);
        if (unknown === undefined) continue;
        const { member, names, field } = unknown;
        const { name = '', node } = member;
        const message = `The spec of "${field}" has no "${name}".${didYouMean(name, names)}`;
        report(findingAt(site, { start: node.end - name.length, end: node.end }, message));
      }
    }
  },
};

/** The form of `parameters` in a document. */
function listElements({ app }: Subject, { owner }: CheckedDocument): readonly ParameterElement[] {
  const { kind, name = '' } = owner ?? {};
  const module = kind === 'module' ? app.modules.get(name) : undefined;
  const connection = kind === 'connection' ? app.connections.get(name) : undefined;
  const webhook = kind === 'webhook' ? app.webhooks.get(name) : undefined;
  return [module?.staticParams, module?.mappableParams, connection?.params, webhook?.params].flatMap(
    (form) => readableForm(form).elements,
  );
}

interface UnknownMember {
  readonly member: PathMember;
  readonly field: string;
  readonly names: readonly string[];
}

/** The first member of a path that is missing in the `spec` of its collection or list. */
function findUnknownMember(
  elements: readonly ParameterElement[],
  members: readonly PathMember[],
): UnknownMember | undefined {
  let fields = collectFields(elements);
  let field = '';
  for (const member of members) {
    // Indexes.
    if (member.name === undefined) continue;
    if (fields === undefined || member.node.kind !== 'member') return undefined;
    const named = fields.filter(({ name }) => name === member.name);
    const [found, second] = named;
    // The check above handles the first member: a list in a form has no name.
    if (found === undefined && field === '') return undefined;
    if (found === undefined) {
      const names = fields.flatMap(({ name }) => name ?? []);
      return { member, field, names };
    }
    if (second !== undefined || !NESTING.has(found.type)) return undefined;
    fields = found.spec?.kind === 'fields' ? collectFields(found.spec.fields) : undefined;
    field = found.name ?? '';
  }
  return undefined;
}

const NESTING: ReadonlySet<string> = new Set(['collection', 'array']);

/** Fields and nested fields; undefined if an RPC returns some. */
function collectFields(elements: readonly ParameterElement[]): readonly ParameterSpec[] | undefined {
  const all: ParameterSpec[] = [];
  for (const element of elements) {
    if (element.kind !== 'parameter') return undefined;
    const { nested, nestedWhenFalse, choices } = element;
    const inner = [nested, nestedWhenFalse, choices?.nested, choices?.placeholderNested];
    for (const option of choices?.options ?? []) inner.push(option.nested);
    all.push(element);
    for (const list of inner) {
      const fields = collectFields(list ?? []);
      if (fields === undefined) return undefined;
      all.push(...fields);
    }
  }
  return all;
}
