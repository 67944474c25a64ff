import { ImlError } from '../../shared/errors/iml-error.js';
import type { BinaryOperator, Expression, Template, UnaryOperator } from './ast.js';
import { isKeyword, PRECEDENCE } from './grammar.js';
import { Lexer } from './lexer.js';

/**
 * Parses a template: text with `{{expression}}` parts.
 *
 * @throws ImlError of kind `syntax` (IML_SYNTAX, IML_UNTERMINATED_EXPRESSION, IML_UNTERMINATED_STRING) with the offset of the error;
 *   IML_HOST_VALUE if the source is not a string
 */
export function parseTemplate(source: string): Template {
  if (typeof source !== 'string') {
    throw new ImlError('IML_HOST_VALUE', 'Invalid template to parse: expected a string.', { kind: 'type' });
  }
  if (!source.includes('{{')) return { source, parts: source === '' ? [] : [source] };
  const reader = new TemplateReader(source);
  while (reader.toExpression()) reader.readExpression();
  return reader.finish();
}

class TemplateReader {
  private readonly source: string;
  private readonly parts: (string | Expression)[] = [];
  private readonly parser: ExpressionParser;
  /** The text since the last expression. */
  private text = '';
  private offset = 0;

  constructor(source: string) {
    this.source = source;
    this.parser = new ExpressionParser(new Lexer(source, 0));
  }

  /** Reads the text before the next expression. Returns false if there is no further expression. */
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

/** Parses a template like `parseTemplate`, but returns a syntax error instead of throwing it. */
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

/** Steps of a path that the parser reads together with its first name. */
const MAX_STEPS_AT_ONCE = 50;

const PARENTHESIS = 0x28;
const DOT = 0x2e;

/** Linked stack of incomplete nodes: operators that wait for an operand, and open brackets. */
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
 * Operator precedence parser with an explicit stack, so that nested input cannot overflow the call stack.
 * Most expressions are paths, which leave the stack empty.
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
  /** Offset of the opening braces of the current expression. */
  private opened = 0;
  /** The operand that was read last. */
  private operand: Expression | undefined;
  private top: Pending | undefined;

  constructor(lexer: Lexer) {
    this.lexer = lexer;
  }

  /** Offset after the last token. */
  get end(): number {
    return this.lexer.end;
  }

  /** Starts the expression whose opening braces are at `open`. */
  open(open: number): void {
    this.opened = open;
    this.lexer.moveTo(open + 2);
  }

  /** Reads the expression and its closing braces. */
  read(): Expression {
    const { lexer } = this;
    let expectsOperand = true;
    try {
      for (;;) {
        lexer.advance();
        if (expectsOperand) expectsOperand = this.readOperand();
        else if (lexer.kind === 'end') {
          this.reduce(0);
          if (this.top?.kind !== 'braces') return this.finish();
          this.top = this.top.outer;
        } else expectsOperand = this.readOperator();
      }
    } catch (error) {
      // The lexer finds a missing `}}` at the end of the text; the error points to the opening `{{`.
      if (error instanceof ImlError && error.code === 'IML_UNTERMINATED_EXPRESSION')
        error.offset = this.opened;
      throw error;
    }
  }

  /** Handles a token at the start of an operand. Returns whether the next token must start an operand, too. */
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
        throw lexer.failUnexpected('a value');
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
    // Fast path: reads the first steps of a path without the main loop.
    for (let code = next, left = MAX_STEPS_AT_ONCE; code === DOT && left > 0; code = lexer.peek(), left--) {
      lexer.moveTo(lexer.end + 1);
      this.readSegment();
    }
    return false;
  }

  /** `(` opens a group. `)`, `]` and separators are valid here only after an empty argument or index. */
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
    throw lexer.failUnexpected('a value');
  }

  /** Handles a token after an operand. Returns whether the next token must start an operand. */
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
    throw lexer.failUnexpected('an operator', describeHabit(lexer, this.operand));
  }

  private readSegment(): boolean {
    const { lexer } = this;
    lexer.advanceSegment();
    const isName = lexer.kind === 'name' || lexer.kind === 'quoted' || lexer.kind === 'number';
    if (!isName) throw lexer.fail(`Expected a name after the dot, not ${lexer.describe()}.`);
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
      throw this.lexer.fail(`Unexpected ${bracket}: no open bracket matches it.`);
    }
    return false;
  }

  private finish(): Expression {
    const { top } = this;
    if (top === undefined) return this.takeOperand();
    const closing = top.kind === 'index' || top.kind === 'list' ? ']' : ')';
    throw this.lexer.fail(`The bracket opened here has no closing ${closing}.`, top.start);
  }

  /**
   * Completes the pending operators of at least this precedence, up to the innermost open bracket. `!x` and `-x` bind
   * tighter than every binary operator, looser than a path.
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
    else throw this.lexer.fail('Unexpected separator: expected only between the arguments of a function.');
  }

  /** Whether the innermost open bracket is that of an index: only there are nested braces valid. */
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

/** A hint for the syntax of another language, or an empty text. */
function describeHabit({ kind, text }: Lexer, operand: Expression | undefined): string {
  if (kind === 'punctuator' && text === '(' && operand?.kind === 'member') {
    return ` IML has no methods: write ${operand.name}(value; ...) instead of value.${operand.name}(...).`;
  }
  if (kind !== 'name') return '';
  if (text === 'and' || text === 'or') return ` The operator is ${text === 'and' ? '&' : '|'}.`;
  if (operand?.kind === 'name' && operand.name === 'not') return ' The operator is !.';
  // `body.first name` is most likely one name that needs backticks.
  return ' A name with spaces or a leading digit needs backticks: `first name`.';
}
