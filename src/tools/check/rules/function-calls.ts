import { findSignature, type ParameterKind, printSignature } from '../../../language/functions/signatures.js';
import type { Call, Expression } from '../../../language/syntax/ast.js';
import { toNumber } from '../../../language/values/value.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Rule } from '../rule.js';
import { type ExpressionSite, findingAt, replacementAt } from '../subject/expression-site.js';
import type { Subject } from '../subject/subject.js';

const unknownFunction: Rule = {
  id: 'unknown-function',
  level: 'error',
  summary: 'An expression calls a function that is neither built in nor part of the app.',
  why: 'The run ends with an error. Names are case-sensitive: `formatdate` is not `formatDate`.',
  bad: '"since": "{{formatdate(parameters.since; \'YYYY-MM-DD\')}}"',
  good: '"since": "{{formatDate(parameters.since; \'YYYY-MM-DD\')}}"',
  canFix: true,
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        if (node.kind === 'call' && !subject.isFunction(node.name)) report(describe(subject, site, node));
      }
    }
  },
};

function describe(subject: Subject, site: ExpressionSite, call: Call): ReturnType<typeof findingAt> {
  const range = { start: call.start, end: call.start + call.name.length };
  const message = `There is no function "${call.name}".${didYouMean(call.name, subject.functionNames)}`;
  const meant = subject.functionNames.find((name) => name.toLowerCase() === call.name.toLowerCase());
  if (meant === undefined) return findingAt(site, range, message);
  return replacementAt(site, range, { message, title: `Replace "${call.name}" by "${meant}"`, text: meant });
}

const argumentCount: Rule = {
  id: 'argument-count',
  level: 'warning',
  summary: 'A call passes too few arguments to a function, or more than a built-in function reads.',
  why: 'Extra arguments are ignored: `ifempty(a; b; c)` never returns `c`. A missing argument is undefined; most functions then fail or return nothing.',
  bad: '"name": "{{ifempty(item.name; item.title; \'unknown\')}}"',
  good: '"name": "{{ifempty(item.name; ifempty(item.title; \'unknown\'))}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        if (node.kind !== 'call') continue;
        const own = subject.app.functions.get(node.name);
        if (own !== undefined) {
          const needed = listNeededParameters(own.code ?? '', own.name);
          const missing = needed.filter(({ index }) => index >= node.args.length);
          if (missing.length === 0) continue;
          const range = { start: node.start, end: node.start + node.name.length };
          const names = missing.map(({ name }) => name).join(', ');
          const message = `${own.name} is called without ${names}, and its code does not test for absence.`;
          report(findingAt(site, range, message));
          continue;
        }
        const signature = findSignature(node.name);
        if (signature === undefined) continue;
        const { parameters } = signature;
        const least = parameters.filter(({ isOptional }) => !isOptional).length;
        const most = parameters.some(({ isRest }) => isRest) ? Number.POSITIVE_INFINITY : parameters.length;
        const given = node.args.length;
        if (given >= least && given <= most) continue;
        const what = given < least ? `needs at least ${least}` : `takes at most ${most}`;
        const message = `${node.name} ${what} argument${(given < least ? least : most) === 1 ? '' : 's'}, not ${given}: ${printSignature(signature)}.`;
        report(findingAt(site, { start: node.start, end: node.start + node.name.length }, message));
      }
    }
  },
};

const argumentType: Rule = {
  id: 'argument-type',
  level: 'error',
  summary: 'A call passes a constant of the wrong type to a built-in function.',
  why: "The function always fails: `round('many')` ends the run with `'many' is not a valid number.`",
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
    return `'${value}' is not a number`;
  }
  if (kind === 'array') return `${JSON.stringify(value)} is not an array`;
  if (kind === 'collection') return `${JSON.stringify(value)} is not a collection`;
  return undefined;
}

/**
 * The parameters without which the code of a custom function fails or computes `NaN` and `undefined`: it reads their members, calls
 * or iterates them, or computes with them, and nowhere tests them for absence. A parameter that is only passed on is not needed. A
 * function that reads `arguments` or destructures a parameter needs none from there on.
 */
function listNeededParameters(code: string, name: string): readonly NeededParameter[] {
  const head = new RegExp(`\\bfunction\\s+${forPattern(name)}\\s*\\(([^()]*)\\)`).exec(code);
  if (head === null || /\barguments\b/.test(code)) return [];
  const body = code.slice(head.index + head[0].length);
  const names = (head[1] ?? '').split(',').map((parameter) => parameter.trim());
  const end = names.findIndex((parameter) => !/^[A-Za-z_$][\w$]*$/.test(parameter));
  return names
    .slice(0, end < 0 ? names.length : end)
    .map((parameter, index) => ({ name: parameter, index }))
    .filter((parameter) => isUsed(body, parameter.name) && !isTested(body, parameter.name));
}

interface NeededParameter {
  readonly name: string;
  /** 0-based. */
  readonly index: number;
}

function isUsed(body: string, name: string): boolean {
  const written = `(?<![\\w$.])${forPattern(name)}(?![\\w$])`;
  return matchesAny(body, [
    `${written}\\s*(?:\\.(?!\\.)|\\[|\\(|[-+*/%])`,
    `(?:[-+*/%]|\\.\\.\\.|\\bof|\\$\\{)\\s*${written}`,
  ]);
}

/** Whether code tests a parameter for absence, as in `if (!name)`, `name?.id`, `name ?? 0`, `name === undefined` or `typeof name`. */
function isTested(body: string, name: string): boolean {
  const written = `(?<![\\w$.])${forPattern(name)}(?![\\w$])`;
  return matchesAny(body, [
    `!\\s*${written}`,
    `${written}\\s*(?:\\?|\\|\\||&&|[!=]==?\\s*(?:undefined|null|void)|=[^=>]|instanceof\\b)`,
    `(?:undefined|null)\\s*[!=]==?\\s*${written}`,
    `typeof\\s*\\(?\\s*${written}`,
    `(?:if|while|switch|Boolean|isArray|ifempty)\\s*\\(\\s*${written}\\s*[,)]`,
    `&&\\s*${written}\\s*(?:\\)|&&|\\|\\|)`,
  ]);
}

function matchesAny(body: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => new RegExp(pattern).test(body));
}

function forPattern(name: string): string {
  return name.replaceAll('$', '\\$&');
}

export const FUNCTION_RULES: readonly Rule[] = [unknownFunction, argumentCount, argumentType];
