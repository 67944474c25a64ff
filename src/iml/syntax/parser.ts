import { ImlError } from '../../errors/iml-error.js';
import type { BinaryOperator, Expression, Template, UnaryOperator } from './ast.js';
import { Lexer } from './lexer.js';
import { isKeyword, PRECEDENCE, UNARY_PRECEDENCE } from './syntax.js';

/**
 * Reads a template: text with `{{expression}}` parts.
 *
 * @throws ImlError of kind `syntax` (IML_SYNTAX, IML_UNTERMINATED_EXPRESSION, IML_UNTERMINATED_STRING) with the offset of the mistake.
 */
export function parseTemplate(source: string): Template {
  const parts: (string | Expression)[] = [];
  let text = '';
  let offset = 0;
  for (;;) {
    const open = source.indexOf('{{', offset);
    if (open < 0) break;
    // `\{{` is text. [choice]
    if (source.charCodeAt(open - 1) === 0x5c && open > offset) {
      text += `${source.slice(offset, open - 1)}{{`;
      offset = open + 2;
      continue;
    }
    text += source.slice(offset, open);
    if (text !== '') parts.push(text);
    text = '';
    const lexer = new Lexer(source, open + 2);
    parts.push(new ExpressionParser(lexer, open).parse());
    offset = lexer.end;
  }
  text += source.slice(offset);
  if (text !== '') parts.push(text);
  return { source, parts };
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

/** What an operand waits for: an operator with its strength, or the bracket that opened. */
type Pending =
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly start: number }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly start: number }
  | { readonly kind: 'group'; readonly start: number }
  | { readonly kind: 'index'; readonly start: number; readonly object: Expression }
  | {
      readonly kind: 'call';
      readonly start: number;
      readonly name: string;
      readonly args: (Expression | undefined)[];
    };

/**
 * Operator precedence parsing with stacks of its own: depth costs memory, never the host's call stack.
 *
 *     expr    = unary { binary-operator unary } ;
 *     unary   = ( "!" | "-" ) unary | postfix ;
 *     postfix = primary { "." segment | "[" [ expr ] "]" } ;
 *     primary = string | number | call | name | quoted | "(" expr ")" ;
 *     call    = name "(" [ expr ] { ("," | ";") [ expr ] } ")" ;
 */
class ExpressionParser {
  private readonly lexer: Lexer;
  private readonly open: number;
  private readonly operands: Expression[] = [];
  private readonly pending: Pending[] = [];

  constructor(lexer: Lexer, open: number) {
    this.lexer = lexer;
    this.open = open;
  }

  parse(): Expression {
    let wantsOperand = true;
    for (;;) {
      this.advance();
      if (this.lexer.kind === 'end' && !wantsOperand) return this.finish();
      wantsOperand = wantsOperand ? this.readOperand() : this.readOperator();
    }
  }

  private advance(): void {
    try {
      this.lexer.advance();
    } catch (error) {
      // A missing `}}` is found at the end of the text, but what the author has to look at is where `{{` stands.
      if (error instanceof ImlError && error.code === 'IML_UNTERMINATED_EXPRESSION') error.offset = this.open;
      throw error;
    }
  }

  /** Handles a token where an operand may start; returns whether an operand is still wanted. */
  private readOperand(): boolean {
    const { lexer } = this;
    const { start, end } = lexer;
    switch (lexer.kind) {
      case 'string':
        this.operands.push({ kind: 'literal', value: lexer.text, start, end, height: 1 });
        return false;
      case 'number':
        this.operands.push({ kind: 'literal', value: Number(lexer.text), start, end, height: 1 });
        return false;
      case 'quoted':
      case 'module':
        this.operands.push({ kind: 'name', name: lexer.text, form: lexer.kind, start, end, height: 1 });
        return false;
      case 'name':
        return this.readName();
      case 'operator':
        if (lexer.text === '!' || lexer.text === '-') {
          this.pending.push({ kind: 'unary', operator: lexer.text, start });
          return true;
        }
        throw lexer.fail(`A value is expected before ${lexer.describe()}.`);
      default:
        return this.readBracketAsOperand();
    }
  }

  private readName(): boolean {
    const { lexer } = this;
    const { text: name, start, end } = lexer;
    if (lexer.isCallAhead()) {
      lexer.advance();
      this.pending.push({ kind: 'call', start, name, args: [] });
      return true;
    }
    if (isKeyword(name)) this.operands.push({ kind: 'keyword', name, start, end, height: 1 });
    else this.operands.push({ kind: 'name', name, form: 'plain', start, end, height: 1 });
    return false;
  }

  /** `(` opens a group; `)`, `]` and separators are right here only where an argument or index is left empty. */
  private readBracketAsOperand(): boolean {
    const { lexer } = this;
    const top = this.pending.at(-1);
    if (lexer.kind === 'punctuator') {
      if (lexer.text === '(') {
        this.pending.push({ kind: 'group', start: lexer.start });
        return true;
      }
      if (top?.kind === 'call' && (lexer.text === ',' || lexer.text === ';')) {
        top.args.push(undefined);
        return true;
      }
      if (top?.kind === 'call' && lexer.text === ')') {
        if (top.args.length > 0) top.args.push(undefined);
        this.pending.pop();
        this.pushCall(top.name, top.args, top.start);
        return false;
      }
      if (top?.kind === 'index' && lexer.text === ']') {
        this.pending.pop();
        this.pushIndex(top.object, undefined);
        return false;
      }
    }
    throw lexer.fail(`A value is expected before ${lexer.describe()}.`);
  }

  /** Handles a token behind an operand; returns whether an operand is wanted next. */
  private readOperator(): boolean {
    const { lexer } = this;
    if (lexer.kind === 'operator' && lexer.text !== '!') {
      const operator = lexer.text as BinaryOperator;
      this.reduce(PRECEDENCE[operator]);
      this.pending.push({ kind: 'binary', operator, start: lexer.start });
      return true;
    }
    if (lexer.kind === 'punctuator') {
      switch (lexer.text) {
        case '.':
          return this.readSegment();
        case '[':
          this.pending.push({ kind: 'index', start: lexer.start, object: this.popOperand() });
          return true;
        case ',':
        case ';':
          this.reduce(0);
          this.callFrame('A separator can stand only between the arguments of a function.').args.push(
            this.popOperand(),
          );
          return true;
        case ')':
        case ']':
          return this.closeBracket(lexer.text);
      }
    }
    throw lexer.fail(`An operator is expected before ${lexer.describe()}.`);
  }

  private readSegment(): boolean {
    const { lexer } = this;
    lexer.advanceSegment();
    const isName = lexer.kind === 'name' || lexer.kind === 'quoted' || lexer.kind === 'number';
    if (!isName) throw lexer.fail(`A name is expected after the dot, not ${lexer.describe()}.`);
    const object = this.popOperand();
    const { text: name, end } = lexer;
    this.operands.push({ kind: 'member', object, name, start: object.start, end, height: object.height + 1 });
    return false;
  }

  private closeBracket(bracket: ')' | ']'): boolean {
    this.reduce(0);
    const frame = this.pending.pop();
    if (bracket === ']' && frame?.kind === 'index') {
      this.pushIndex(frame.object, this.popOperand());
    } else if (bracket === ')' && frame?.kind === 'call') {
      frame.args.push(this.popOperand());
      this.pushCall(frame.name, frame.args, frame.start);
    } else if (bracket !== ')' || frame?.kind !== 'group') {
      throw this.lexer.fail(`This ${bracket} closes nothing.`);
    }
    return false;
  }

  private finish(): Expression {
    this.reduce(0);
    const open = this.pending.at(-1);
    if (open === undefined) return this.popOperand();
    const closing = open.kind === 'index' ? ']' : ')';
    throw this.lexer.fail(`A ${closing} is missing for the bracket opened here.`, open.start);
  }

  /** Joins what binds at least as tightly as `precedence`, down to the innermost open bracket. */
  private reduce(precedence: number): void {
    for (;;) {
      const top = this.pending.at(-1);
      if (top?.kind === 'unary' && UNARY_PRECEDENCE >= precedence) {
        this.pending.pop();
        const operand = this.popOperand();
        const { operator, start } = top;
        this.operands.push({
          kind: 'unary',
          operator,
          operand,
          start,
          end: operand.end,
          height: operand.height + 1,
        });
      } else if (top?.kind === 'binary' && PRECEDENCE[top.operator] >= precedence) {
        this.pending.pop();
        const right = this.popOperand();
        const left = this.popOperand();
        const height = Math.max(left.height, right.height) + 1;
        const { operator } = top;
        this.operands.push({
          kind: 'binary',
          operator,
          left,
          right,
          start: left.start,
          end: right.end,
          height,
        });
      } else return;
    }
  }

  private pushCall(name: string, args: readonly (Expression | undefined)[], start: number): void {
    let height = 1;
    for (const arg of args) if (arg !== undefined && arg.height >= height) height = arg.height + 1;
    this.operands.push({ kind: 'call', name, args, start, end: this.lexer.end, height });
  }

  private pushIndex(object: Expression, index: Expression | undefined): void {
    const height = Math.max(object.height, index?.height ?? 0) + 1;
    this.operands.push({ kind: 'index', object, index, start: object.start, end: this.lexer.end, height });
  }

  private callFrame(message: string): Extract<Pending, { kind: 'call' }> {
    const top = this.pending.at(-1);
    if (top?.kind !== 'call') throw this.lexer.fail(message);
    return top;
  }

  private popOperand(): Expression {
    const operand = this.operands.pop();
    if (operand === undefined) throw new TypeError('The parser lost an operand.');
    return operand;
  }
}
