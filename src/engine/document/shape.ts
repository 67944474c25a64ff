/** JSON types a key may hold. `null` is always allowed and means "not set". */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** The rule for the value of one key. */
export interface KeyShape {
  /** Undefined allows any type. Include `string` for keys that accept IML. */
  readonly types?: readonly JsonType[];
  /** What a text without an expression has to stand for. Undefined allows any text. */
  readonly constant?: 'boolean' | 'number' | 'object';
  /** Shape of an object value. Without it, members are free-form. */
  readonly shape?: Shape;
  /** Whether an array of objects of that shape is allowed. */
  readonly each?: boolean;
  /** Whether that array may also hold texts, such as RPC addresses among fields. */
  readonly orTexts?: boolean;
  /** Description shown by editors. */
  readonly about?: string;
  /** Known texts that editors suggest. Expressions may produce others. */
  readonly words?: readonly string[];
}

/** A closed object. */
export interface Shape {
  /** Name in messages: `a request`. */
  readonly title: string;
  readonly keys: Readonly<Record<string, KeyShape>>;
  /** Keys that match a pattern, such as status codes. */
  readonly pattern?: { readonly key: RegExp; readonly rule: KeyShape };
  /** Whether unknown keys are allowed. Forms of the platform have keys that affect display only. Default: false. */
  readonly isOpen?: boolean;
  /** Required keys. Default: none. */
  readonly required?: readonly string[];
}

type Types = Pick<KeyShape, 'types' | 'constant'>;

export const ANYTHING: KeyShape = {};
export const TEXT: Types = { types: ['string', 'number'] };
export const FLAG: Types = { types: ['boolean', 'string'], constant: 'boolean' };
export const NUMBER: Types = { types: ['number', 'string'], constant: 'number' };
/** Free-form members. An expression often provides the whole object: `"headers": "{{...}}"`. [app] */
export const FREE_OBJECT: Types = { types: ['object', 'string'], constant: 'object' };

/** Adds a description to a rule. */
export function described(about: string, rule: KeyShape = ANYTHING, words?: readonly string[]): KeyShape {
  return { ...rule, about, ...(words && { words }) };
}

/** An object of a shape. */
export function only(shape: Shape): KeyShape {
  return { types: ['object'], shape };
}

/** An object of a shape, or a scalar shorthand. */
export function scalarOr(shape: Shape, ...types: JsonType[]): KeyShape {
  return { types: [...types, 'object'], shape };
}

/** A list of objects of a shape. */
export function listOf(shape: Shape): KeyShape {
  return { types: ['array'], shape, each: true };
}
