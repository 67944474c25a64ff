import { compileTemplate } from '../../language/compile/compile-template.js';
import type { Environment, FunctionTable, Scope } from '../../language/environment.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { ownMember } from '../../shared/plain-object.js';

/** A compiled directive with its location. */
export interface Directive {
  readonly evaluate: (scope: Scope) => unknown;
  /** JSON pointer into the (merged) document of its request. */
  readonly pointer: string;
  /** The value as written. Some directives depend on its form. */
  readonly raw: unknown;
}

export interface DirectiveContext {
  readonly environment: Environment;
  readonly functions: FunctionTable;
  /** Directives shared by the requests of a chain. */
  readonly shared?: SharedDirectives;
}

/** Cache of compiled directives within a chain, as its requests often inherit the same ones from the base. */
export class SharedDirectives {
  /** By pointer, then by the raw value. */
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

/** Compiles the value at `pointer`. Returns undefined if `value` is undefined. */
export function compileDirective(
  value: unknown,
  pointer: string,
  context: DirectiveContext,
): Directive | undefined {
  if (value === undefined) return undefined;
  const cached = context.shared?.get(pointer, value);
  if (cached !== undefined) return cached;
  const { environment, functions } = context;
  const evaluate = compileTemplate(value, { environment, functions, pointer });
  const directive = { evaluate, pointer, raw: value };
  context.shared?.add(directive);
  return directive;
}

/** Compiles members of one object. */
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

  /** Like `read`, but text without braces is a path. For `iterate` and its container only. */
  readPath(key: string): Directive | undefined {
    const value = ownMember(this.object, key);
    const isBare = typeof value === 'string' && value.trim() !== '' && !value.includes('{{');
    return compileDirective(isBare ? `{{${value}}}` : value, childPointer(this.pointer, key), this.context);
  }
}
