import { childPointer } from '../../errors/source-location.js';
import { compileTemplate } from '../../iml/compile/compile-template.js';
import type { Environment, FunctionTable, Scope } from '../../iml/environment/environment.js';
import { ownMember } from '../../util/plain-object.js';

/** One directive made ready, with the place it is written at. */
export interface Directive {
  readonly evaluate: (scope: Scope) => unknown;
  /** JSON pointer into the (merged) document of its request. */
  readonly pointer: string;
  /** The value as written, for directives whose form decides how they are read. */
  readonly raw: unknown;
}

export interface DirectiveContext {
  readonly environment: Environment;
  readonly functions: FunctionTable;
  /** What the requests of one chain have in common: it is made ready once for all of them. */
  readonly shared?: SharedDirectives;
}

/** What was made ready for one of several requests, as the others may have the same from the base. */
export class SharedDirectives {
  /** By pointer, then by the value as written. */
  private readonly directives = new Map<string, Map<unknown, Directive>>();

  get(pointer: string, value: unknown): Directive | undefined {
    return this.directives.get(pointer)?.get(value);
  }

  add(directive: Directive): void {
    const { pointer, raw } = directive;
    const values = this.directives.get(pointer);
    if (values === undefined) this.directives.set(pointer, new Map([[raw, directive]]));
    else values.set(raw, directive);
  }
}

/** Makes the value at `pointer` ready, or gives undefined where nothing is written. */
export function compileDirective(
  value: unknown,
  pointer: string,
  context: DirectiveContext,
): Directive | undefined {
  if (value === undefined) return undefined;
  const known = context.shared?.get(pointer, value);
  if (known !== undefined) return known;
  const { environment, functions } = context;
  const evaluate = compileTemplate(value, { environment, functions, pointer });
  const directive = { evaluate, pointer, raw: value };
  context.shared?.add(directive);
  return directive;
}

/** Compiles directives that are members of one object. */
export class DirectiveReader {
  private readonly object: object;
  private readonly pointer: string;
  private readonly context: DirectiveContext;

  constructor(object: object, pointer: string, context: DirectiveContext) {
    this.object = object;
    this.pointer = pointer;
    this.context = context;
  }

  read(key: string): Directive | undefined {
    return compileDirective(ownMember(this.object, key), childPointer(this.pointer, key), this.context);
  }

  /** Like `read`; a text without braces is taken as a path. Only `iterate` and its container. */
  readPath(key: string): Directive | undefined {
    const value = ownMember(this.object, key);
    const isBare = typeof value === 'string' && value.trim() !== '' && !value.includes('{{');
    return compileDirective(isBare ? `{{${value}}}` : value, childPointer(this.pointer, key), this.context);
  }
}
