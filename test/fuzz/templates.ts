import fc from 'fast-check';
import { fromPortable } from '../../src/index.js';
import {
  compile,
  functions as FUNCTIONS,
  ImlError,
  parse as parseTemplate,
  print as printTemplate,
  safeParse as safeParseTemplate,
} from '../../src/language/index.js';
import { choices, shapesCalling, write } from '../language/expression-arbitrary.js';
import { jsonObjects } from './arbitrary-json.js';
import { assertPrototypes, cpuMs, type Target } from './target.js';

interface Input {
  readonly template: string;
  /** With dates and bytes as `{ "$date" }` and `{ "$bytes" }`. */
  readonly scope: Readonly<Record<string, unknown>>;
}

/** Maximum CPU time of a template of a few hundred characters on a slow machine. */
const MAX_MS = 5000;

const scopes = fc
  .tuple(jsonObjects, jsonObjects, fc.constantFrom('abc', '5', ''), fc.boolean())
  .map(([members, object, text, hasDate]) => ({
    list: Object.values(object),
    object,
    text,
    date: hasDate ? { $date: '2024-03-05T10:20:30.000Z' } : { $bytes: 'AAH/gA==' },
    ...members,
  }));

const expressions = fc
  .tuple(shapesCalling(Object.keys(FUNCTIONS)), fc.array(fc.nat(), { maxLength: 6 }))
  .map(([shape, numbers]) => `{{${write(shape, choices(numbers))}}}`);

/** Templates by the grammar, with every function of the language, and damaged copies of them. */
export const templates: Target<Input> = {
  name: 'templates',
  input: fc
    .record({
      pieces: fc.array(fc.oneof({ weight: 4, arbitrary: expressions }, fc.string({ maxLength: 5 })), {
        minLength: 1,
        maxLength: 3,
      }),
      cut: fc.option(
        fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom('', '(', ')', "'", '}}', '{{', '.', ';')),
        {
          freq: 3,
        },
      ),
      scope: scopes,
    })
    .map(({ pieces, cut, scope }) => ({ template: damage(pieces.join(''), cut), scope })),
  survive: ({ template, scope }) => {
    const startedMs = cpuMs();
    evaluateOrFail(template, scope);
    const parsed = safeParseTemplate(template);
    if (parsed.ok) {
      const printed = printTemplate(parsed.template);
      const again = printTemplate(parseTemplate(printed));
      if (again !== printed) throw new Error(`${template} is printed as ${printed}, and that as ${again}`);
    }
    assertPrototypes();
    const tookMs = cpuMs() - startedMs;
    if (tookMs > MAX_MS) throw new Error(`${template} took ${tookMs} ms`);
  },
};

function damage(text: string, cut: readonly [number, number, string] | null): string {
  if (cut === null) return text;
  const [at, length, by] = cut;
  const start = at % (text.length + 1);
  return text.slice(0, start) + by + text.slice(start + length);
}

function evaluateOrFail(template: string, scope: Input['scope']): void {
  try {
    compile(template, { now: () => 0 })(fromPortable(scope) as Record<string, unknown>);
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    const { offset = 0 } = error;
    if (offset < 0 || offset > template.length)
      throw new Error(`${template} fails at ${offset}`, { cause: error });
  }
}
