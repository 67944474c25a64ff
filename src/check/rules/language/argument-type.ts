import { findSignature, type ParameterKind, printSignature } from '../../../iml/functions/signatures.js';
import type { Expression } from '../../../iml/syntax/ast.js';
import { toNumber } from '../../../iml/values/coerce.js';
import type { Rule } from '../../rule.js';
import { findingAt } from '../../subject/site-finding.js';

export const argumentType: Rule = {
  id: 'argument-type',
  level: 'error',
  summary: 'A constant given to a built-in function is of a kind that it cannot use.',
  why: "The function fails each time: `round('many')` ends the run with `'many' is not a valid number.`",
  bad: '"count": "{{round(\'many\')}}"',
  good: '"count": "{{round(parameters.count)}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        if (node.kind !== 'call' || subject.app.functions.has(node.name)) continue;
        const signature = findSignature(node.name);
        node.args.forEach((argument, index) => {
          const parameter = signature?.parameters[index];
          if (argument === undefined || parameter === undefined || signature === undefined) return;
          const problem = describeMisfit(argument, parameter.kind);
          if (problem === undefined) return;
          report(
            findingAt(
              site,
              argument,
              `${problem}, given as ${parameter.name} of ${printSignature(signature)}.`,
            ),
          );
        });
      }
    }
  },
};

/** The problem of a constant; undefined if it fits. */
function describeMisfit(argument: Expression, kind: ParameterKind): string | undefined {
  if (argument.kind !== 'literal') return undefined;
  const { value } = argument;
  if (kind === 'number' && typeof value === 'string' && value !== '' && toNumber(value) === undefined) {
    return `'${value}' is no number`;
  }
  if (kind === 'array') return `${JSON.stringify(value)} is no array`;
  if (kind === 'collection') return `${JSON.stringify(value)} is no collection`;
  return undefined;
}
