import { evaluate } from '../../../language/compile.js';
import {
  type FunctionParameter,
  type FunctionSignature,
  findSignature,
  type ParameterKind,
  printSignature,
} from '../../../language/functions/signatures.js';
import type { Call, Expression } from '../../../language/syntax/ast.js';
import { ImlError } from '../../../shared/errors/iml-error.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Rule } from '../rule.js';
import { type ExpressionSite, findingAt, replacementAt } from '../subject/expression-site.js';
import type { Subject } from '../subject/subject.js';
import { describeKind, kindOf, type ValueKind } from '../subject/value-kinds.js';

const unknownFunction: Rule = {
  id: 'unknown-function',
  area: 'app',
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
  area: 'app',
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
  area: 'app',
  level: 'error',
  summary: 'An argument of a built-in function has a type or a value that the function never accepts.',
  why: "The function fails with each value: `round('many')` ends the run with `'many' is not a valid number.` The cause can be the order of the arguments: the value comes first, its options follow.",
  bad: '"count": "{{round(\'many\')}}"',
  good: '"count": "{{round(parameters.count)}}"',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const node of site.nodes) {
        if (node.kind !== 'call' || subject.app.functions.has(node.name)) continue;
        const signature = findSignature(node.name);
        const misfit = signature && findMisfit(subject, site, node, signature);
        if (signature === undefined || misfit === undefined) continue;
        const { argument, parameter, problem } = misfit;
        const message = `${problem}, given as ${parameter.name} of ${printSignature(signature)}.`;
        report(findingAt(site, argument, message));
      }
    }
  },
};

interface Misfit {
  readonly argument: Expression;
  readonly parameter: FunctionParameter;
  readonly problem: string;
}

/** The first argument that the function never accepts: by its kind, by its value, or by its position. */
function findMisfit(
  subject: Subject,
  site: ExpressionSite,
  call: Call,
  signature: FunctionSignature,
): Misfit | undefined {
  const { parameters } = signature;
  for (const [index, parameter] of parameters.entries()) {
    const argument = call.args[index];
    if (argument === undefined) continue;
    const kind = kindOf(subject, site, argument);
    const accepted = ACCEPTED[parameter.kind];
    const isRefused = kind !== undefined && accepted?.includes(kind) === false;
    const problem = isRefused ? describeRefused(argument, kind, parameter) : undefined;
    if (problem !== undefined) return { argument, parameter, problem };
  }
  const index = findRefusedConstant(call, signature) ?? findSwapped(call, signature);
  const argument = index === undefined ? undefined : call.args[index];
  const parameter = index === undefined ? undefined : parameters[index];
  if (argument?.kind !== 'literal' || parameter === undefined) return undefined;
  return { argument, parameter, problem: `${quote(argument.value)} is not ${nameWanted(parameter)}` };
}

/** Kinds that a parameter accepts, at least for some values. Parameters of other kinds accept each kind. */
const ACCEPTED: Readonly<Partial<Record<ParameterKind, readonly ValueKind[]>>> = {
  number: ['number', 'text'],
  date: ['date', 'text'],
  array: ['array'],
  collection: ['collection'],
};

function describeRefused(argument: Expression, kind: ValueKind, parameter: FunctionParameter): string {
  const written = argument.kind === 'literal' ? quote(argument.value) : `This is ${describeKind(kind)} and`;
  return `${written} is not ${nameWanted(parameter)}`;
}

function nameWanted({ name, kind }: FunctionParameter): string {
  return kind === 'any' || kind === 'text' || kind === 'boolean' ? `a valid ${name}` : describeKind(kind);
}

function quote(value: string | number): string {
  const text = String(value);
  return typeof value === 'number' ? text : `'${text.length > 80 ? `${text.slice(0, 80)}...` : text}'`;
}

/** Arguments that stand for those which only a run knows. The first ones fit most parameters of the kind. */
const STAND_INS: Readonly<Record<ParameterKind, readonly unknown[]>> = {
  any: ['2026-01-31'],
  text: ['1', 'YYYY-MM-DD', 'days'],
  number: [1],
  date: [new Date(0)],
  array: [[1, 2]],
  collection: [{}],
  buffer: [new Uint8Array(1)],
  boolean: [true],
};

/**
 * The constant with which a call always fails: the call fails with it and works without it, whatever stands for the
 * arguments that only a run knows.
 */
function findRefusedConstant(call: Call, { name, parameters }: FunctionSignature): number | undefined {
  const fixed = call.args.map((argument) => (argument?.kind === 'literal' ? [argument.value] : undefined));
  if (!fixed.some((value) => value !== undefined) || fixed.length > parameters.length) return undefined;
  const standIns = parameters.slice(0, fixed.length).map(({ kind }) => STAND_INS[kind]);
  const choices = standIns.map((values, index) => fixed[index] ?? values);
  if (works(name, choices)) return undefined;
  const index = fixed.findIndex((value, at) => {
    if (value === undefined) return false;
    const isOptional = parameters[at]?.isOptional === true;
    return (
      works(name, choices.with(at, standIns[at] ?? [])) || (isOptional && works(name, choices.slice(0, at)))
    );
  });
  return index < 0 ? undefined : index;
}

/** Whether a call works with any combination of arguments. */
function works(name: string, choices: readonly (readonly unknown[])[]): boolean {
  let combinations: readonly (readonly unknown[])[] = [[]];
  for (const values of choices)
    combinations = combinations.flatMap((given) => values.map((value) => [...given, value]));
  const names = choices.map((_, index) => `a${index}`);
  return combinations.some((given) => {
    try {
      evaluate(
        `{{${name}(${names.join(';')})}}`,
        Object.fromEntries(names.map((key, at) => [key, given[at]])),
      );
      return true;
    } catch (error) {
      if (error instanceof ImlError) return false;
      throw error;
    }
  });
}

/** A constant that can only be an option, as the value of a function whose options are not constant: `split(','; body.tags)`. */
function findSwapped({ args }: Call, { name, parameters }: FunctionSignature): number | undefined {
  const [first, ...others] = args;
  const kind = parameters[0]?.kind;
  if (
    first?.kind !== 'literal' ||
    first.value === '' ||
    !others.some((other) => other !== undefined && other.kind !== 'literal')
  )
    return undefined;
  if (name === 'get') return 0;
  if (typeof first.value === 'number') return kind === 'text' || kind === 'number' ? 0 : undefined;
  return (kind === 'text' || name === 'contains') && /^[^\p{L}\p{N}]{1,2}$/u.test(first.value)
    ? 0
    : undefined;
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
