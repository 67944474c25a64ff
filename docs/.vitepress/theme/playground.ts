import type * as Language from '../../../src/language/index.js';
import type { Expression } from '../../../src/language/syntax/ast.js';

/** The entry `iml-runtime/iml`, which the page loads on first use. */
export type Iml = typeof Language;

/** State of the playground. The hash of the address contains it. */
export interface State {
  readonly tab: 'template' | 'module';
  readonly template: string;
  /** JSON object. */
  readonly context: string;
  readonly semantics: 'runtime' | 'documented';
  /** Communication of a module as JSON. */
  readonly module: string;
  /** Body of the response as JSON. */
  readonly body: string;
}

export const DEFAULTS: State = {
  tab: 'template',
  template: 'Hello {{capitalize(user.name)}}, {{sum(map(orders; "total"))}} in total',
  context: '{\n  "user": { "name": "ann" },\n  "orders": [{ "total": 20 }, { "total": 12 }]\n}',
  semantics: 'runtime',
  module: `{
  "response": {
    "limit": 2,
    "iterate": "{{body.contacts}}",
    "output": { "id": "{{item.id}}", "name": "{{upper(item.name)}}" }
  },
  "pagination": { "condition": "{{body.next}}" }
}`,
  body: '{\n  "contacts": [{ "id": 1, "name": "Ann" }, { "id": 2, "name": "Bob" }, { "id": 3, "name": "Cy" }],\n  "next": null\n}',
};

/** Reads the state from a hash. Absent members have their defaults. */
export function readState(hash: string): State {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    tab: values.get('tab') === 'module' ? 'module' : 'template',
    template: values.get('template') ?? DEFAULTS.template,
    context: values.get('context') ?? (values.has('template') ? '{}' : DEFAULTS.context),
    semantics: values.get('semantics') === 'documented' ? 'documented' : 'runtime',
    module: values.get('module') ?? DEFAULTS.module,
    body: values.get('body') ?? DEFAULTS.body,
  };
}

/** Writes the inputs of the selected tab as a hash. */
export function writeState({ tab, template, context, semantics, module, body }: State): string {
  const values =
    tab === 'template'
      ? { template, context, ...(semantics === 'documented' && { semantics }) }
      : { tab, module, body, ...(semantics === 'documented' && { semantics }) };
  return `#${new URLSearchParams(values)}`;
}

/** A value with the name of its type, as `iml eval` prints it. */
export interface ShownValue {
  readonly type: string;
  readonly text: string;
}

/** @param indent spaces per level of arrays and collections */
export function showValue(value: unknown, indent = 0): ShownValue {
  if (value === undefined || value === null) return { type: String(value), text: String(value) };
  if (value instanceof Date) return { type: 'date', text: dateText(value) };
  if (value instanceof Uint8Array) return { type: 'buffer', text: bufferText(value) };
  if (typeof value === 'string') return { type: 'text', text: JSON.stringify(value) };
  if (typeof value !== 'object')
    return { type: typeof value, text: Object.is(value, -0) ? '-0' : String(value) };
  const text = JSON.stringify(value, writeMember, indent) ?? '';
  return { type: Array.isArray(value) ? 'array' : 'collection', text };
}

function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'invalid date' : date.toISOString();
}

function bufferText(bytes: Uint8Array): string {
  return `<${Array.from(bytes.subarray(0, 50), (byte) => byte.toString(16).padStart(2, '0')).join(' ')}>`;
}

function writeMember(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? bufferText(value) : value;
}

/** What the playground shows about a failure. */
export interface Failure {
  readonly message: string;
  /** Such as `line 1, column 8`. */
  readonly place: string | undefined;
  /** The line of the template with a caret. */
  readonly frame: string | undefined;
}

export type Outcome<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly failure: Failure };

/** Runs a step and describes what it throws. */
function attempt<Result>(iml: Iml, step: () => Result): Outcome<Result> {
  try {
    return { ok: true, result: step() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!(error instanceof iml.ImlError))
      return { ok: false, failure: { message: error.message, place: undefined, frame: undefined } };
    const { message, hint, position } = error;
    const pointer = error.place?.pointer;
    const at = position && `line ${position.line}, column ${position.column}`;
    const place = [pointer, at].filter((part) => part !== undefined && part !== '').join(', ');
    const printed = error.print();
    const start = printed.indexOf('\n\n');
    return {
      ok: false,
      failure: {
        message: hint === undefined ? message : `${message} ${hint}`,
        place: place === '' ? undefined : place,
        frame: start < 0 ? undefined : printed.slice(start + 2),
      },
    };
  }
}

/** @throws Error with the name of the input */
function parseJson(text: string, name: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws Error if the text is not a JSON object */
function parseObject(text: string, name: string): Members {
  const value = parseJson(text, name) ?? {};
  if (!isObject(value)) throw new Error(`${name} must be a JSON object.`);
  return value;
}

/** Evaluates the template. */
export function evaluateTemplate(iml: Iml, { template, context, semantics }: State): Outcome<ShownValue> {
  return attempt(iml, () =>
    showValue(iml.evaluate(template, parseObject(context, 'The context'), { semantics }), 2),
  );
}

/** Prints the parse tree of the template, one node per line. A template with a syntax error has none. */
export function printTree(iml: Iml, template: string): string {
  const parsed = iml.safeParse(template);
  if (!parsed.ok) return '';
  return parsed.template.parts
    .flatMap((part) => (typeof part === 'string' ? [`text ${JSON.stringify(part)}`] : listNodes(part, 0)))
    .join('\n');
}

function listNodes(node: Expression, depth: number): readonly string[] {
  const { label, children } = describeNode(node);
  return [
    `${'  '.repeat(depth)}${label}`,
    ...children.flatMap((child) =>
      child === undefined ? [`${'  '.repeat(depth + 1)}no argument`] : listNodes(child, depth + 1),
    ),
  ];
}

function describeNode(node: Expression): {
  readonly label: string;
  readonly children: readonly (Expression | undefined)[];
} {
  switch (node.kind) {
    case 'literal':
      return {
        label: `${typeof node.value === 'string' ? 'text' : 'number'} ${JSON.stringify(node.value)}`,
        children: [],
      };
    case 'keyword':
    case 'name':
      return { label: `${node.kind} ${node.name}`, children: [] };
    case 'member':
      return { label: `member ${node.name}`, children: [node.object] };
    case 'index':
      return {
        label: 'index',
        children: node.index === undefined ? [node.object] : [node.object, node.index],
      };
    case 'call':
      return { label: `call ${node.name}`, children: node.args };
    case 'unary':
      return { label: `operator ${node.operator}`, children: [node.operand] };
    case 'binary':
      return { label: `operator ${node.operator}`, children: [node.left, node.right] };
    case 'list':
      return { label: 'list', children: node.items };
  }
}

/** What a module makes of a response. */
export interface ModuleResult {
  readonly bundles: readonly string[];
  /** Why paging ends after this response, or that it goes on. */
  readonly paging: string;
}

/**
 * Evaluates `response.limit`, `iterate`, `output` and `pagination.condition` of a communication for one response, in the
 * order of a run.
 */
export function runModule(iml: Iml, { module, body, semantics }: State): Outcome<ModuleResult> {
  return attempt(iml, () => {
    const communication = parseObject(module, 'The communication');
    const { response = {}, pagination } = communication;
    if (!isObject(response)) throw new Error('"response" must be a JSON object.');
    const scope: Members = { body: parseJson(body, 'The response body') };
    const evaluate = (value: unknown, pointer: string, variables: Members): unknown =>
      atPointer(iml, pointer, () => iml.evaluate(value, variables, { semantics }));
    // A run evaluates the limit before it sends the request.
    const limit = readLimit(evaluate(response['limit'], '/response/limit', {}));
    const { items, condition, isIterated } = readItems(response['iterate'], scope, evaluate);
    const after: Members = isIterated
      ? { ...scope, iterate: { container: { first: items[0], last: items.at(-1) } } }
      : scope;
    const outputs: unknown[] = [];
    for (const item of items) {
      if (outputs.length >= limit) break;
      const variables = isIterated ? { ...after, item } : after;
      if (!isTrue(evaluate(condition, '/response/iterate/condition', variables), condition)) continue;
      const { output: written } = response;
      const output = written === undefined ? item : evaluate(written, '/response/output', variables);
      if (isIterated || !Array.isArray(output)) outputs.push(...[output].filter(isSomething));
      else outputs.push(...output.slice(0, limit).filter((one) => one !== undefined && one !== null));
    }
    return {
      bundles: outputs.map((output) => showValue(output, 2).text),
      paging: describePaging(),
    };

    function describePaging(): string {
      if (!isObject(pagination)) return 'The module has no pagination: the run ends.';
      if (outputs.length >= limit) return 'The limit is reached: the run ends.';
      if (isEmptyPage(isIterated ? items : scope['body']))
        return 'The response has no records: the run ends.';
      const { condition: test } = pagination;
      const goesOn = isTrue(
        evaluate(test, '/pagination/condition', { ...after, pagination: { page: 2 } }),
        test,
      );
      return goesOn ? 'The module requests the next page.' : 'pagination.condition is false: the run ends.';
    }
  });
}

type EvaluateAt = (value: unknown, pointer: string, variables: Members) => unknown;

/** Without `iterate`, the body is the only item. */
function readItems(
  iterate: unknown,
  scope: Members,
  evaluate: EvaluateAt,
): { readonly items: readonly unknown[]; readonly condition: unknown; readonly isIterated: boolean } {
  const container = isObject(iterate) ? iterate['container'] : iterate;
  if (container === undefined || container === null || container === '')
    return { items: [scope['body']], condition: undefined, isIterated: false };
  const condition = isObject(iterate) ? iterate['condition'] : undefined;
  // A path needs no braces.
  const template =
    typeof container === 'string' && !container.includes('{{') ? `{{${container}}}` : container;
  const value = evaluate(template, `/response/iterate${isObject(iterate) ? '/container' : ''}`, scope);
  if (Array.isArray(value)) return { items: value, condition, isIterated: true };
  if (value === undefined || value === null || value === '')
    return { items: [], condition, isIterated: true };
  if (isObject(value)) return { items: [value], condition, isIterated: true };
  throw new Error(`/response/iterate: expected an array, not ${showValue(value).type}.`);
}

/** @throws Error for a value that is not a number of at least 1 */
function readLimit(value: unknown): number {
  if (value === undefined || value === null || value === '') return Number.POSITIVE_INFINITY;
  const limit = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  if (limit >= 1) return Math.floor(limit);
  throw new Error(`/response/limit: expected a number of at least 1, not ${showValue(value).text}.`);
}

/** An absent condition is true. The text "false" is false. */
function isTrue(value: unknown, written: unknown): boolean {
  return written === undefined || (value !== 'false' && Boolean(value));
}

function isSomething(output: unknown): boolean {
  return output !== undefined && output !== null && output !== false;
}

function isEmptyPage(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Adds the pointer of a directive to the place of an error. */
function atPointer<Result>(iml: Iml, pointer: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof iml.ImlError) {
      error.place = { ...error.place, pointer: `${pointer}${error.place?.pointer ?? ''}` };
    }
    throw error;
  }
}
