import { ImlError } from '../../errors/iml-error.js';
import type { BinaryOperator, Expression, Template, UnaryOperator } from './ast.js';
import { isKeyword, PRECEDENCE } from './grammar.js';
import { Lexer } from './lexer.js';

/**
 * Reads a template: text with `{{expression}}` parts.
 *
 * @throws ImlError of kind `syntax` (IML_SYNTAX, IML_UNTERMINATED_EXPRESSION, IML_UNTERMINATED_STRING) with the offset of the mistake;
 *   IML_HOST_VALUE for what is no text
 */
export function parseTemplate(source: string): Template {
  if (typeof source !== 'string') {
    throw new ImlError('IML_HOST_VALUE', 'A template that is parsed has to be a text.', { kind: 'type' });
  }
  if (!source.includes('{{')) return { source, parts: source === '' ? [] : [source] };
  const reader = new TemplateReader(source);
  while (reader.toExpression()) reader.readExpression();
  return reader.finish();
}

/** Reads the parts of a template one after the other. */
class TemplateReader {
  private readonly source: string;
  private readonly parts: (string | Expression)[] = [];
  private readonly parser: ExpressionParser;
  /** The text read since the last expression. */
  private text = '';
  private offset = 0;

  constructor(source: string) {
    this.source = source;
    this.parser = new ExpressionParser(new Lexer(source, 0));
  }

  /** Reads text up to the next expression and returns whether there is one. */
  toExpression(): boolean {
    const { source } = this;
    for (;;) {
      const open = source.indexOf('{{', this.offset);
      if (open < 0) return false;
      // `\{{` is text. [choice]
      if (open > this.offset && source.charCodeAt(open - 1) === 0x5c) {
        this.text += `${source.slice(this.offset, open - 1)}{{`;
        this.offset = open + 2;
        continue;
      }
      if (open > this.offset) this.text += source.slice(this.offset, open);
      this.putText();
      this.parser.open(open);
      return true;
    }
  }

  readExpression(): void {
    this.parts.push(this.parser.read());
    this.offset = this.parser.end;
  }

  finish(): Template {
    const { source, parts } = this;
    if (this.offset < source.length) this.text += source.slice(this.offset);
    this.putText();
    return { source, parts };
  }

  private putText(): void {
    if (this.text === '') return;
    this.parts.push(this.text);
    this.text = '';
  }
}

/** The template, or the error that `parseTemplate` would throw. */
export function safeParseTemplate(
  source: string,
): { readonly ok: true; readonly template: Template } | { readonly ok: false; readonly error: ImlError } {
  try {
    return { ok: true, template: parseTemplate(source) };
  } catch (error) {
    if (error instanceof ImlError) return { ok: false, error };
    throw error;
  }
}

/** Steps of a path that are read with its first name. */
const MAX_STEPS_AT_ONCE = 50;

const PARENTHESIS = 0x28;
const DOT = 0x2e;

/** What an operand waits for: an operator with its strength, or the bracket that opened; and what that waits for in turn. */
type Pending = { readonly start: number; readonly outer: Pending | undefined } & (
  | { readonly kind: 'unary'; readonly operator: UnaryOperator }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly strength: number;
      readonly left: Expression;
    }
  | { readonly kind: 'group' | 'braces' }
  | { readonly kind: 'list'; readonly items: Expression[] }
  | { readonly kind: 'index'; readonly object: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: (Expression | undefined)[] }
);

/**
 * Operator precedence parsing with a chain of its own of what is pending: depth costs memory, never the host's call stack.
 * A path, as most expressions are, has nothing pending.
 *
 *     expr    = unary { binary-operator unary } ;
 *     unary   = ( "!" | "-" ) unary | postfix ;
 *     postfix = primary { "." segment | "[" [ expr ] "]" } ;   (* inside brackets also "{{" expr "}}" *)
 *     primary = string | number | call | name | quoted | "(" expr ")" | list ;
 *     list    = "[" [ expr { ("," | ";") expr } ] "]" ;
 *     call    = name "(" [ expr ] { ("," | ";") [ expr ] } ")" ;
 */
class ExpressionParser {
  private readonly lexer: Lexer;
  /** Where the braces stand that open what is read. */
  private opened = 0;
  /** The operand read last. */
  private operand: Expression | undefined;
  /** The innermost of what is pending. */
  private top: Pending | undefined;

  constructor(lexer: Lexer) {
    this.lexer = lexer;
  }

  /** Offset behind what was read last. */
  get end(): number {
    return this.lexer.end;
  }

  /** Begins the expression that opens with the braces at `open`. */
  open(open: number): void {
    this.opened = open;
    this.lexer.moveTo(open + 2);
  }

  /** Reads the tokens of the expression and the braces that close it. */
  read(): Expression {
    const { lexer } = this;
    let wantsOperand = true;
    try {
      for (;;) {
        lexer.advance();
        if (wantsOperand) wantsOperand = this.readOperand();
        else if (lexer.kind === 'end') {
          this.reduce(0);
          if (this.top?.kind !== 'braces') return this.finish();
          this.top = this.top.outer;
        } else wantsOperand = this.readOperator();
      }
    } catch (error) {
      // A missing `}}` is found at the end of the text, but what the author has to look at is where `{{` stands.
      if (error instanceof ImlError && error.code === 'IML_UNTERMINATED_EXPRESSION')
        error.offset = this.opened;
      throw error;
    }
  }

  /** Handles a token where an operand may start; returns whether an operand is still wanted. */
  private readOperand(): boolean {
    const { lexer } = this;
    const { start, end } = lexer;
    switch (lexer.kind) {
      case 'name':
        return this.readName();
      case 'string':
        this.operand = { kind: 'literal', value: lexer.text, start, end, height: 1 };
        return false;
      case 'number':
        this.operand = { kind: 'literal', value: lexer.number, start, end, height: 1 };
        return false;
      case 'quoted':
      case 'module':
        this.operand = { kind: 'name', name: lexer.text, form: lexer.kind, start, end, height: 1 };
        return false;
      case 'operator':
        if (lexer.text === '!' || lexer.text === '-') {
          const { text: operator } = lexer;
          this.top = { kind: 'unary', operator, start, outer: this.top };
          return true;
        }
        throw lexer.failUnexpected('A value');
      default:
        return this.readBracketAsOperand();
    }
  }

  private readName(): boolean {
    const { lexer } = this;
    const { text: name, start, end } = lexer;
    const next = lexer.peek();
    if (next === PARENTHESIS) {
      lexer.advance();
      this.top = { kind: 'call', name, args: [], start, outer: this.top };
      return true;
    }
    this.operand = isKeyword(name)
      ? { kind: 'keyword', name, start, end, height: 1 }
      : { kind: 'name', name, form: 'plain', start, end, height: 1 };
    // Most expressions are paths: their dots are no tokens that anything has to tell from others, in the beginning of a long one.
    for (let code = next, left = MAX_STEPS_AT_ONCE; code === DOT && left > 0; code = lexer.peek(), left--) {
      lexer.moveTo(lexer.end + 1);
      this.readSegment();
    }
    return false;
  }

  /** `(` opens a group; `)`, `]` and separators are right here only where an argument or index is left empty. */
  private readBracketAsOperand(): boolean {
    const { lexer, top } = this;
    if (lexer.kind === 'punctuator') {
      if (lexer.text === '(') {
        this.top = { kind: 'group', start: lexer.start, outer: top };
        return true;
      }
      if (lexer.text === '[') {
        this.top = { kind: 'list', items: [], start: lexer.start, outer: top };
        return true;
      }
      if (lexer.text === '{{' && this.isInIndex()) {
        this.top = { kind: 'braces', start: lexer.start, outer: top };
        return true;
      }
      if (top?.kind === 'list' && lexer.text === ']') {
        this.closeList(top);
        return false;
      }
      if (top?.kind === 'call' && (lexer.text === ',' || lexer.text === ';')) {
        top.args.push(undefined);
        return true;
      }
      if (top?.kind === 'call' && lexer.text === ')') {
        if (top.args.length > 0) top.args.push(undefined);
        this.closeCall(top);
        return false;
      }
      if (top?.kind === 'index' && lexer.text === ']') {
        this.closeIndex(top, undefined);
        return false;
      }
    }
    throw lexer.failUnexpected('A value');
  }

  /** Handles a token behind an operand; returns whether an operand is wanted next. */
  private readOperator(): boolean {
    const { lexer } = this;
    if (lexer.kind === 'operator' && lexer.text !== '!') {
      const operator = lexer.text as BinaryOperator;
      const strength = PRECEDENCE[operator];
      this.reduce(strength);
      this.top = {
        kind: 'binary',
        operator,
        strength,
        left: this.takeOperand(),
        start: lexer.start,
        outer: this.top,
      };
      return true;
    }
    if (lexer.kind === 'punctuator') {
      switch (lexer.text) {
        case '.':
          return this.readSegment();
        case '[':
          this.top = { kind: 'index', object: this.takeOperand(), start: lexer.start, outer: this.top };
          return true;
        case ',':
        case ';':
          this.separate();
          return true;
        case ')':
        case ']':
          return this.closeBracket(lexer.text);
      }
    }
    // `body.first name`: most likely one name that is not plain.
    const hint =
      lexer.kind === 'name' ? ' A name with spaces or a leading digit needs backticks: `first name`.' : '';
    throw lexer.failUnexpected('An operator', hint);
  }

  private readSegment(): boolean {
    const { lexer } = this;
    lexer.advanceSegment();
    const isName = lexer.kind === 'name' || lexer.kind === 'quoted' || lexer.kind === 'number';
    if (!isName) throw lexer.fail(`A name is expected after the dot, not ${lexer.describe()}.`);
    const object = this.takeOperand();
    const { text: name, end } = lexer;
    this.operand = { kind: 'member', object, name, start: object.start, end, height: object.height + 1 };
    return false;
  }

  private closeBracket(bracket: ')' | ']'): boolean {
    this.reduce(0);
    const { top } = this;
    if (bracket === ']' && top?.kind === 'index') {
      this.closeIndex(top, this.takeOperand());
    } else if (bracket === ']' && top?.kind === 'list') {
      top.items.push(this.takeOperand());
      this.closeList(top);
    } else if (bracket === ')' && top?.kind === 'call') {
      top.args.push(this.takeOperand());
      this.closeCall(top);
    } else if (bracket === ')' && top?.kind === 'group') {
      this.top = top.outer;
    } else {
      throw this.lexer.fail(`This ${bracket} closes nothing.`);
    }
    return false;
  }

  private finish(): Expression {
    const { top } = this;
    if (top === undefined) return this.takeOperand();
    const closing = top.kind === 'index' || top.kind === 'list' ? ']' : ')';
    throw this.lexer.fail(`A ${closing} is missing for the bracket opened here.`, top.start);
  }

  /**
   * Joins what binds at least as tightly as `precedence`, down to the innermost open bracket. `!x` and `-x` bind tighter than
   * every binary operator, looser than a path.
   */
  private reduce(precedence: number): void {
    for (let { top } = this; top !== undefined; top = top.outer) {
      if (top.kind === 'unary') {
        const operand = this.takeOperand();
        const { operator, start } = top;
        const { end } = operand;
        this.operand = { kind: 'unary', operator, operand, start, end, height: operand.height + 1 };
      } else if (top.kind === 'binary' && top.strength >= precedence) {
        const right = this.takeOperand();
        const { operator, left } = top;
        const height = Math.max(left.height, right.height) + 1;
        this.operand = { kind: 'binary', operator, left, right, start: left.start, end: right.end, height };
      } else return;
      this.top = top.outer;
    }
  }

  private closeCall({ name, args, start, outer }: Extract<Pending, { kind: 'call' }>): void {
    let height = 1;
    for (const arg of args) if (arg !== undefined && arg.height >= height) height = arg.height + 1;
    this.top = outer;
    this.operand = { kind: 'call', name, args, start, end: this.lexer.end, height };
  }

  private closeIndex(
    { object, outer }: Extract<Pending, { kind: 'index' }>,
    index: Expression | undefined,
  ): void {
    const height = Math.max(object.height, index?.height ?? 0) + 1;
    this.top = outer;
    this.operand = { kind: 'index', object, index, start: object.start, end: this.lexer.end, height };
  }

  private closeList({ items, start, outer }: Extract<Pending, { kind: 'list' }>): void {
    let height = 1;
    for (const item of items) if (item.height >= height) height = item.height + 1;
    this.top = outer;
    this.operand = { kind: 'list', items, start, end: this.lexer.end, height };
  }

  /** Ends an argument of a call or an item of a list. */
  private separate(): void {
    this.reduce(0);
    const { top } = this;
    if (top?.kind === 'call') top.args.push(this.takeOperand());
    else if (top?.kind === 'list') top.items.push(this.takeOperand());
    else throw this.lexer.fail('A separator can stand only between the arguments of a function.');
  }

  /** Whether the innermost bracket, operators aside, is that of an index: only there braces are an expression of their own. */
  private isInIndex(): boolean {
    let { top } = this;
    while (top?.kind === 'binary' || top?.kind === 'unary') top = top.outer;
    return top?.kind === 'index';
  }

  private takeOperand(): Expression {
    const { operand } = this;
    if (operand === undefined) throw new TypeError('The parser lost an operand.');
    this.operand = undefined;
    return operand;
  }
}
