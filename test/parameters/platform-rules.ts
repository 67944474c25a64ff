/**
 * Reimplements the rules of the platform's validator for stored forms, from its documentation and public source
 * (`@makehq/forman-schema`): a simple oracle for what is rejected. It converts nothing, so it is stricter about types
 * than a run; `spec-fixtures/parameters-platform/differences.json` lists intended differences.
 */

export type Rule =
  | 'missing'
  | 'type'
  | 'option'
  | 'remote-option'
  | 'limit'
  | 'pattern'
  | 'unknown'
  | 'filter';

/**
 * A list without items, a boolean with nested fields for its value, or an array with a spec list; undefined otherwise.
 */
export type Beside = 'an empty list' | 'a boolean of another value' | 'a spec list' | undefined;

export interface Verdict {
  readonly rule: Rule;
  readonly path: string;
  /** Type of the field and kind of its value. */
  readonly type: string;
  readonly given: string;
  /** An enclosing field that is hidden in a run. */
  readonly beside: Beside;
}

type Json = Readonly<Record<string, unknown>>;

export type Ask = (address: string) => unknown;

const KINDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['account', 'hook', 'datastore', 'udt', 'number', 'integer', 'uinteger', 'port'].map((type) => [
      type,
      'number',
    ]),
  ),
  ...Object.fromEntries(
    [
      ...[
        'text',
        'date',
        'buffer',
        'cert',
        'color',
        'email',
        'filename',
        'file',
        'folder',
        'password',
        'path',
      ],
      ...['pkey', 'time', 'timestamp', 'timezone', 'url', 'uuid', 'aiagent', 'scenario'],
    ].map((type) => [type, 'text']),
  ),
  array: 'array',
  filter: 'array',
  upload: 'array',
  filestorage: 'array',
  collection: 'collection',
  boolean: 'boolean',
  checkbox: 'boolean',
};

const SELECTS = new Set(['select', 'radio', 'list']);
const DECORATION = new Set(['banner', 'html', 'markdown', 'separator']);

export function judge(
  form: readonly unknown[],
  values: Json,
  ask: Ask = () => [],
  strict = false,
): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  const seen = new Set<string>();
  const walk = { verdicts, ask, strict, seen, path: '', demands: true, beside: undefined };
  judgeFields(walk, form, values);
  if (strict) tellUnknown(verdicts, values, seen, '');
  return verdicts;
}

interface Walk {
  readonly verdicts: Verdict[];
  readonly ask: Ask;
  readonly strict: boolean;
  readonly seen: Set<string>;
  readonly path: string;
  readonly demands: boolean;
  readonly beside: Beside;
}

function judgeFields(walk: Walk, fields: readonly unknown[], values: Json): void {
  for (const item of fields) {
    const field = typeof item === 'string' ? walk.ask(item) : item;
    if (Array.isArray(field)) judgeFields(walk, field, values);
    else if (isObject(field) && !DECORATION.has(String(field['type']))) judgeMember(walk, field, values);
  }
}

function judgeMember(walk: Walk, field: Json, values: Json): void {
  const name = String(field['name']);
  walk.seen.add(name);
  const path = walk.path === '' ? name : `${walk.path}.${name}`;
  const value = values[name];
  const isEmptyList = KINDS[String(field['type'])] === 'array' && Array.isArray(value) && value.length === 0;
  judgeValue({ ...walk, path }, field, value, (nested, demands) => {
    const hides = isEmptyList ? 'an empty list' : demands ? undefined : 'a boolean of another value';
    judgeFields({ ...walk, demands, beside: walk.beside ?? hides }, nested, values);
  });
}

type Show = (nested: readonly unknown[], demands: boolean) => void;

function judgeValue(walk: Walk, field: Json, value: unknown, show: Show): void {
  const type = String(field['type']);
  const tell = (rule: Rule): void => {
    const { path, beside } = walk;
    walk.verdicts.push({ rule, path, type, given: kindOf(value), beside });
  };
  if (value === undefined || value === null || value === '') {
    if (field['required'] === true && walk.demands) tell('missing');
    else showNested(type, field, value, walk, show);
    return;
  }
  const kind = KINDS[type];
  if (kind !== undefined && kind !== kindOf(value)) return tell('type');
  if (SELECTS.has(type) && !judgeChoice(walk, field, value))
    return tell(hasRemoteOptions(field) ? 'remote-option' : 'option');
  if (type === 'collection') judgeCollection(walk, field['spec'], value as Json);
  if (type === 'array') judgeItems(walk, field, value as readonly unknown[], tell);
  if (type === 'filter') judgeFilter(value as readonly unknown[], field, tell);
  judgeLimits(field, value, tell);
  showNested(type, field, value, walk, show);
}

function judgeChoice(walk: Walk, field: Json, value: unknown): boolean {
  const found = optionsOf(walk, field);
  const values: readonly unknown[] =
    field['multiple'] === true ? (Array.isArray(value) ? value : [undefined]) : [value];
  return values.every((one) => found.some((option) => option['value'] === one));
}

function hasRemoteOptions({ options }: Json): boolean {
  return typeof (isObject(options) ? options['store'] : options) === 'string';
}

function optionsOf(walk: Walk, field: Json): readonly Json[] {
  const options = field['options'];
  const store = isObject(options) ? options['store'] : options;
  const answer = typeof store === 'string' ? walk.ask(store) : store;
  return (Array.isArray(answer) ? answer : [answer]).filter(isObject);
}

function judgeCollection(walk: Walk, spec: unknown, value: Json): void {
  if (!Array.isArray(spec)) return;
  const seen = new Set<string>();
  judgeFields({ ...walk, seen, demands: true }, spec, value);
  if (walk.strict) tellUnknown(walk.verdicts, value, seen, walk.path);
}

function judgeItems(walk: Walk, field: Json, items: readonly unknown[], tell: (rule: Rule) => void): void {
  const { spec } = field;
  for (const [index, item] of items.entries()) {
    const path = `${walk.path}[${index + 1}]`;
    const itemField = Array.isArray(spec) ? { type: 'collection', spec } : spec;
    const beside = walk.beside ?? (Array.isArray(spec) ? 'a spec list' : undefined);
    if (isObject(itemField)) judgeValue({ ...walk, path, demands: true, beside }, itemField, item, () => {});
  }
  const limits = isObject(field['validate']) ? field['validate'] : {};
  if (items.length < Number(limits['minItems'] ?? 0)) tell('limit');
  if (items.length > Number(limits['maxItems'] ?? Number.POSITIVE_INFINITY)) tell('limit');
}

function judgeFilter(groups: readonly unknown[], field: Json, tell: (rule: Rule) => void): void {
  const { options } = field;
  const logic = isObject(options) ? options['logic'] : undefined;
  const conditions = logic === undefined ? groups.flat() : groups;
  for (const condition of conditions) {
    if (!isObject(condition)) tell('filter');
    else if (
      [condition['a'], condition['o']].some((part) => part === undefined || part === null || part === '')
    )
      tell('filter');
  }
}

function judgeLimits(field: Json, value: unknown, tell: (rule: Rule) => void): void {
  const { validate } = field;
  if (!isObject(validate)) return;
  const size = typeof value === 'string' ? value.length : value;
  if (typeof size !== 'number') return;
  if (size < Number(validate['min'] ?? Number.NEGATIVE_INFINITY)) tell('limit');
  if (size > Number(validate['max'] ?? Number.POSITIVE_INFINITY)) tell('limit');
  if (typeof value !== 'string') return;
  const { pattern, enum: allowed } = validate;
  const source = isObject(pattern) ? pattern['regexp'] : pattern;
  if (typeof source === 'string' && !new RegExp(source).test(value)) tell('pattern');
  if (Array.isArray(allowed) && !allowed.includes(value)) tell('option');
}

/** Nested fields of an option replace those of the field, and these those of its `options`. */
function showNested(type: string, field: Json, value: unknown, walk: Walk, show: Show): void {
  const options = isObject(field['options']) ? field['options'] : {};
  const forAll = field['nested'] ?? options['nested'];
  const isSet = value !== undefined && value !== null && value !== '';
  if (!isSet) {
    const placeholder = options['placeholder'];
    if (type === 'select' && isObject(placeholder)) show(listOf(placeholder['nested']), walk.demands);
    return;
  }
  if (KINDS[type] === 'boolean') {
    showBranch(field, forAll, value === true, walk, show);
    return;
  }
  const chosen = SELECTS.has(type) && field['multiple'] !== true ? optionsOf(walk, field) : [];
  const own = chosen.find((option) => option['value'] === value)?.['nested'];
  show(listOf(own ?? forAll), walk.demands);
}

function showBranch(field: Json, nested: unknown, value: boolean, walk: Walk, show: Show): void {
  if (isObject(nested) && ('true' in nested || 'false' in nested)) {
    show(listOf(nested[String(value)]), walk.demands);
  } else {
    const isShown = field['reversedNested'] === true ? !value : value;
    show(listOf(nested), walk.demands && isShown);
  }
}

function listOf(nested: unknown): readonly unknown[] {
  const store = isObject(nested) && 'store' in nested ? nested['store'] : nested;
  if (store === undefined || store === null) return [];
  return Array.isArray(store) ? store : [store];
}

function tellUnknown(verdicts: Verdict[], values: Json, seen: ReadonlySet<string>, at: string): void {
  for (const name of Object.keys(values)) {
    if (seen.has(name)) continue;
    const path = at === '' ? name : `${at}.${name}`;
    const given = kindOf(values[name]);
    verdicts.push({ rule: 'unknown', path, type: '', given, beside: undefined });
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'object') return Array.isArray(value) ? 'array' : 'collection';
  return typeof value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
