/**
 * A keyword is a constant of the language. A variable of the same name never replaces it.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml.
 */
export type KeywordName =
  | 'true'
  | 'false'
  | 'null'
  | 'erase'
  | 'ignore'
  | 'emptystring'
  | 'emptyarray'
  | 'space'
  | 'tab'
  | 'newline'
  | 'carriagereturn'
  | 'nbsp';

/** The parser replaces the aliases `==`, `===`, `!==`, `&&` and `||` by these. */
export type BinaryOperator =
  | '+'
  | '++'
  | '-'
  | '*'
  | '/'
  | '%'
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '&'
  | '|';
export type UnaryOperator = '!' | '-';

interface Node {
  /** 0-based UTF-16 offset of the first character in the template. */
  readonly start: number;
  /** Offset after the last character. */
  readonly end: number;
  /** Height of the tree from here, 1 for a leaf. Expressions have a limit of 256. */
  readonly height: number;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: string | number;
}

export interface Keyword extends Node {
  readonly kind: 'keyword';
  readonly name: KeywordName;
}

export interface Name extends Node {
  readonly kind: 'name';
  readonly name: string;
  /** `quoted` in backticks (skips built-in variables), `module` for the digits of `1.email`. */
  readonly form: 'plain' | 'quoted' | 'module';
}

export interface Member extends Node {
  readonly kind: 'member';
  readonly object: Expression;
  readonly name: string;
}

export interface Index extends Node {
  readonly kind: 'index';
  readonly object: Expression;
  /** Undefined for `a[]`. */
  readonly index: Expression | undefined;
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  /** Undefined for an empty argument. */
  readonly args: readonly (Expression | undefined)[];
}

export interface Unary extends Node {
  readonly kind: 'unary';
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

export interface Binary extends Node {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/**
 * `['a'; 1]`. The language has no array literals: Make's runtime evaluates one to null. The items are for tools and are
 * never evaluated. [rt]
 */
export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

/** Syntax tree of an expression between `{{` and `}}`, discriminated by `kind`. */
export type Expression = Literal | Keyword | Name | Member | Index | Call | Unary | Binary | ListLiteral;

/** Text with expressions in it. Adjacent texts form one part. The empty template has no parts. */
export interface Template {
  readonly source: string;
  readonly parts: readonly (string | Expression)[];
}
