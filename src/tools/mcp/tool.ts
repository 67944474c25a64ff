import { EngineError } from '../../shared/errors/engine-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { Schema } from '../../shared/schema/build.js';
import { compileTestedSchema } from '../../shared/schema/compile-schema.js';
import type { SchemaCheck, SchemaProblem } from '../../shared/schema/schema-check.js';
import { didYouMean } from '../../shared/suggest.js';

/** A tool for assistants. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly input: PlainObject;
  /** Whether it changes and sends nothing. */
  readonly isReadOnly: boolean;
  /** @throws EngineError (USAGE) for input that does not match the schema; errors of the tool */
  readonly call: (input: unknown, signal: AbortSignal) => Promise<unknown>;
}

interface ToolDefinition<T> {
  readonly description: string;
  readonly input: Schema<T>;
  readonly isReadOnly: boolean;
  readonly work: (input: T, signal: AbortSignal) => Promise<unknown>;
}

/** Cached, because compiling is slow. */
const COMPILED = new WeakMap<PlainObject, SchemaCheck>();

/** @throws EngineError (USAGE) for input that a schema forbids, with all reasons */
export function assertInput(schema: PlainObject, input: unknown): void {
  const check = COMPILED.get(schema) ?? compileTestedSchema(schema);
  COMPILED.set(schema, check);
  const problems = check(input);
  if (problems.length > 0) throw new EngineError('USAGE', [...new Set(problems.map(say))].join(' '));
}

/** Creates a tool that validates its input. */
export function defineTool<T>(
  name: string,
  { description, input, isReadOnly, work }: ToolDefinition<T>,
): Tool {
  return {
    name,
    description,
    input,
    isReadOnly,
    call: async (given, signal) => {
      const value = given ?? {};
      assertInput(input, value);
      return work(value as T, signal);
    },
  };
}

function say({ path, keyword, message, unknown }: SchemaProblem): string {
  const place = path.length === 0 ? 'The input' : `"${path.join('.')}"`;
  if (unknown !== undefined) {
    return `"${unknown.name}" is not a member of the input.${didYouMean(unknown.name, unknown.known)}`;
  }
  return keyword === 'required' ? `${place} is missing.` : `${place} ${message}.`;
}
