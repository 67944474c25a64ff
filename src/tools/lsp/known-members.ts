import {
  listLevel,
  type ParameterElement,
  type ParameterSpec,
} from '../../engine/parameters/parameter-spec.js';
import { isPlainObject } from '../../shared/plain-object.js';
import type { CheckedDocument } from '../check/subject/checked-document.js';
import { declaredParameters, storedByConnection, writtenTemp } from '../check/subject/declared-names.js';
import { readableForm } from '../check/subject/form-fields.js';
import type { Subject } from '../check/subject/subject.js';
import { OAUTH_MEMBERS } from '../check/subject/visible-names.js';

/** A possible next member of a path. */
export interface KnownMember {
  readonly name: string;
  /** Type of a field, or the source of the member. */
  readonly detail: string;
  /** Markdown. */
  readonly about?: string | undefined;
}

/** Values from recorded test cases by variable: `body`, `item`. */
export type RecordedValues = Readonly<Record<'body' | 'item', readonly unknown[]>>;

const NOTHING_RECORDED: RecordedValues = { body: [], item: [] };

/** Members of the value of a path, from the app and its recorded cases. */
export function listMembers(
  subject: Subject,
  checked: CheckedDocument,
  [root = '', ...steps]: readonly string[],
  recorded: RecordedValues = NOTHING_RECORDED,
): readonly KnownMember[] {
  switch (root) {
    case 'parameters':
      return parameterMembers(subject, checked, steps);
    case 'connection':
      return steps.length > 0 ? [] : storedMembers(subject, checked);
    case 'temp':
      return steps.length > 0 ? [] : named([...writtenTemp(subject, checked.owner).names], 'temp');
    case 'common':
      return keysAt(findCommon(subject, checked), steps, 'common');
    case 'item':
    case 'body':
      return withoutRepeats([
        ...sampleMembers(subject, checked, steps),
        ...recorded[root].flatMap((value) => keysAt(value, steps, 'recorded')),
      ]);
    case 'output':
    case 'payload':
      return sampleMembers(subject, checked, steps);
    default:
      return FIXED.get([root, ...steps].join('.')) ?? [];
  }
}

function withoutRepeats(members: readonly KnownMember[]): readonly KnownMember[] {
  const byName = new Map<string, KnownMember>();
  for (const member of members) if (!byName.has(member.name)) byName.set(member.name, member);
  return [...byName.values()];
}

const list = (...names: readonly string[]): readonly KnownMember[] =>
  names.map((name) => ({ name, detail: '' }));

/** By path. A Map, because names come from documents: `constructor`. */
const FIXED: ReadonlyMap<string, readonly KnownMember[]> = new Map([
  ['pagination', list('page')],
  ['iterate', list('container')],
  ['environment', list('timezone')],
  ['metadata', list('expect', 'interface')],
  ['trigger', list('matchEqual')],
  ['data', list('lastDate', 'lastId')],
  ['webhook', list('id', 'url')],
  ['oauth', list(...OAUTH_MEMBERS)],
  ['headers', list('`content-type`', 'link', 'location', '`retry-after`')],
  ['iterate.container', list('first', 'last')],
]);

function named(names: readonly string[], detail: string): readonly KnownMember[] {
  return names.map((name) => ({ name, detail }));
}

/** Forms of `parameters` in a document. */
export function listForms({ app }: Subject, { owner }: CheckedDocument): readonly ParameterElement[] {
  const forms = (() => {
    switch (owner?.kind) {
      case 'module': {
        const module = app.modules.get(owner.name);
        return [module?.staticParams, module?.mappableParams];
      }
      case 'connection':
        return [app.connections.get(owner.name)?.params];
      case 'webhook':
        return [app.webhooks.get(owner.name)?.params];
      case 'rpc':
        return [app.rpcs.get(owner.name)?.params];
      case 'endpoint':
        return [app.endpoints.get(owner.name)?.input];
      default:
        return [];
    }
  })();
  return forms.flatMap((form) => readableForm(form).elements);
}

function fieldsAt(elements: readonly ParameterElement[], steps: readonly string[]): readonly KnownMember[] {
  const fields = listLevel(elements).filter((element) => element.kind === 'parameter');
  const [step, ...rest] = steps;
  if (step === undefined)
    return fields.flatMap((field) => (field.name === undefined ? [] : [describeField(field)]));
  const inner = fields.find(({ name }) => name === step)?.spec;
  if (inner === undefined) return [];
  return fieldsAt(inner.kind === 'fields' ? inner.fields : [inner.item], rest);
}

/** Fields of its own forms; for an RPC and an instant trigger, fields of the forms that use them. */
function parameterMembers(
  subject: Subject,
  checked: CheckedDocument,
  steps: readonly string[],
): readonly KnownMember[] {
  const own = fieldsAt(listForms(subject, checked), steps);
  if (steps.length > 0) return own;
  const others = [...declaredParameters(subject, checked).names].filter((name) =>
    own.every((field) => field.name !== name),
  );
  const detail = checked.owner?.kind === 'rpc' ? 'given by the form that calls the RPC' : 'parameter';
  return [...own, ...named(others, detail)];
}

function describeField({ name = '', type, label, required, source }: ParameterSpec): KnownMember {
  const help = typeof source['help'] === 'string' ? `\n\n${source['help']}` : '';
  return { name, detail: required ? `${type}, required` : type, about: `${label ?? name}${help}` };
}

/** Stored data of a connection: fields of its form, and members of `response.data`. */
function storedMembers(subject: Subject, checked: CheckedDocument): readonly KnownMember[] {
  const { app } = subject;
  const connections = listConnectionNames(subject, checked).flatMap(
    (name) => app.connections.get(name) ?? [],
  );
  const fields = connections.flatMap(({ params }) => fieldsAt(readableForm(params).elements, []));
  const names = new Set(connections.flatMap((one) => [...storedByConnection(subject, one).names]));
  return [...names].map(
    (name) => fields.find((field) => field.name === name) ?? { name, detail: 'kept by response.data' },
  );
}

/** The possible connections of a document; for the base, all. */
export function listConnectionNames({ app }: Subject, { owner }: CheckedDocument): readonly string[] {
  if (owner?.kind === 'connection') return [owner.name];
  return owner === undefined || owner.connections.length === 0
    ? [...app.connections.keys()]
    : owner.connections;
}

function findCommon({ app }: Subject, { owner }: CheckedDocument): unknown {
  const own = owner?.kind === 'connection' ? app.connections.get(owner.name)?.common : undefined;
  return (own ?? app.common)?.value;
}

function keysAt(value: unknown, steps: readonly string[], detail: string): readonly KnownMember[] {
  let at = value;
  for (const step of steps) at = isPlainObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  const inner: unknown = Array.isArray(at) ? at[0] : at;
  return isPlainObject(inner) ? Object.keys(inner).map((name) => ({ name, detail })) : [];
}

/** Members from interface and samples of a module; responses may differ. */
function sampleMembers(
  { app }: Subject,
  { owner }: CheckedDocument,
  steps: readonly string[],
): readonly KnownMember[] {
  const module = owner?.kind === 'module' ? app.modules.get(owner.name) : undefined;
  const declared = fieldsAt(readableForm(module?.interface).elements, steps);
  const samples = keysAt(takeFirst(module?.samples?.value), steps, 'sample');
  return [...declared, ...samples.filter(({ name }) => declared.every((one) => one.name !== name))];
}

function takeFirst(value: unknown): unknown {
  return Array.isArray(value) ? (value[0] as unknown) : value;
}
