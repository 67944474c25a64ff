import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import json from '@shikijs/langs/json';
import jsonc from '@shikijs/langs/jsonc';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { type IGrammar, INITIAL, type IRawGrammar, Registry } from 'vscode-textmate';
import { KEYWORDS } from '../../src/language/syntax/grammar.js';
import { Lexer } from '../../src/language/syntax/lexer.js';
import { safeParseTemplate } from '../../src/language/syntax/parser.js';
import { isPlainObject } from '../../src/shared/plain-object.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SYNTAXES = path.join(ROOT, 'src/tools/vscode/syntaxes');

function readGrammar(name: string): IRawGrammar {
  return JSON.parse(readFileSync(path.join(SYNTAXES, `${name}.tmLanguage.json`), 'utf8')) as IRawGrammar;
}

// Grammars of VS Code, with the types of another library.
const FOREIGN = [...json, ...jsonc] as readonly unknown[] as readonly IRawGrammar[];

const GRAMMARS = new Map<string, IRawGrammar>(
  [readGrammar('imljson'), readGrammar('iml'), ...FOREIGN].map((grammar) => [grammar.scopeName, grammar]),
);

const { contributes } = JSON.parse(readFileSync(path.join(SYNTAXES, '../manifest.json'), 'utf8')) as {
  readonly contributes: {
    readonly grammars: readonly { readonly scopeName: string; readonly injectTo?: readonly string[] }[];
  };
};

let registry: Registry;

beforeAll(async () => {
  await loadWASM(readFileSync(createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm')));
  registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    loadGrammar: async (name) => GRAMMARS.get(name),
    getInjections: (name) =>
      contributes.grammars
        .filter(({ injectTo }) => injectTo?.includes(name))
        .map(({ scopeName }) => scopeName),
  });
});

async function loadGrammar(name: string): Promise<IGrammar> {
  const grammar = await registry.loadGrammar(name);
  if (grammar === null) throw new Error(`There is no grammar "${name}".`);
  return grammar;
}

type Token = readonly [text: string, scope: string];

/** The tokens of a line inside of expressions, without white space, with their innermost scope. */
function listTokens(grammar: IGrammar, line: string): readonly Token[] {
  return grammar
    .tokenizeLine(line, INITIAL)
    .tokens.filter(({ scopes }) => scopes.includes('meta.embedded.iml'))
    .map(({ startIndex, endIndex, scopes }): Token => [line.slice(startIndex, endIndex), scopes.at(-1) ?? ''])
    .filter(([text]) => text.trim() !== '');
}

describe('the grammar', () => {
  it.each(['source.json.iml', 'source.json', 'source.json.comments'])(
    'names the parts of expressions in strings of %s',
    async (name) => {
      const line = String.raw`{ "url": "\\{{a/{{ifempty(body.list[1].2; \"a\\n\")}}?{{!true}}", "{{a}}": "b" }`;
      expect(listTokens(await loadGrammar(name), line)).toEqual([
        ['{{', 'punctuation.section.embedded.begin.iml'],
        ['ifempty', 'support.function.iml'],
        ['(', 'meta.brace.iml'],
        ['body', 'variable.other.iml'],
        ['.', 'punctuation.accessor.iml'],
        ['list', 'variable.other.property.iml'],
        ['[', 'meta.brace.iml'],
        ['1', 'constant.numeric.iml'],
        [']', 'meta.brace.iml'],
        ['.', 'punctuation.accessor.iml'],
        ['2', 'variable.other.property.iml'],
        [';', 'punctuation.separator.iml'],
        [String.raw`\"`, 'punctuation.definition.string.begin.iml'],
        ['a', 'string.quoted.double.iml'],
        [String.raw`\\n`, 'constant.character.escape.iml'],
        [String.raw`\"`, 'punctuation.definition.string.end.iml'],
        [')', 'meta.brace.iml'],
        ['}}', 'punctuation.section.embedded.end.iml'],
        ['{{', 'punctuation.section.embedded.begin.iml'],
        ['!', 'keyword.operator.iml'],
        ['true', 'constant.language.iml'],
        ['}}', 'punctuation.section.embedded.end.iml'],
      ]);
    },
  );

  it('has the keywords of the language', async () => {
    const grammar = await loadGrammar('source.json.iml');
    const scopesOf = (name: string): string | undefined => listTokens(grammar, `["{{${name}}}"]`)[1]?.[1];
    expect([...KEYWORDS.keys()].filter((name) => scopesOf(name) !== 'constant.language.iml')).toEqual([]);
    expect(scopesOf('trueish')).toBe('variable.other.iml');
  });

  it.each(['{"a": "{{b(", "c": 1}', `{"a": "{{b('", "c": 1}`, String.raw`{"a": "{{b(\"x", "c": 1}`])(
    'ends an unfinished expression with its string: %s',
    async (line) => {
      const grammar = await loadGrammar('source.json.iml');
      const { tokens } = grammar.tokenizeLine(line, INITIAL);
      const last = tokens.find(({ startIndex }) => startIndex === line.lastIndexOf('1'));
      expect(last?.scopes.at(-1)).toBe('constant.numeric.json.comments');
    },
  );

  it('splits every expression of the fixtures as the lexer of the engine does', async () => {
    const grammar = await loadGrammar('source.json.iml');
    const templates = listTemplates();
    expect(templates.length).toBeGreaterThan(1000);
    const wrong = templates.filter((template) => {
      const read = readTokens(grammar, `[${JSON.stringify(template)}]`);
      return JSON.stringify(read) !== JSON.stringify(lexAll(template));
    });
    expect(wrong).toEqual([]);
  });
});

/** All strings with valid expressions in the JSON files of the fixtures. */
function listTemplates(): readonly string[] {
  const folder = path.join(ROOT, 'spec-fixtures');
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && value.includes('{{') && safeParseTemplate(value).ok) found.add(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isPlainObject(value)) Object.values(value).forEach(visit);
  };
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.json')) continue;
    try {
      visit(JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
    } catch {
      // Files with comments.
    }
  }
  return [...found];
}

type Kind = 'text' | 'number' | 'name' | 'operator' | 'punctuation';
type Part = readonly [kind: Kind, text: string];

/** The tokens of the expressions of a template by the lexer of the engine, as JSON text. */
function lexAll(template: string): readonly Part[] {
  const kinds: Readonly<Record<string, Kind>> = {
    string: 'text',
    number: 'number',
    module: 'number',
    name: 'name',
    quoted: 'name',
    operator: 'operator',
  };
  const parts: Part[] = [];
  let start = findExpression(template, 0);
  while (start >= 0) {
    parts.push(['punctuation', '{{']);
    const lexer = new Lexer(template, start + 2);
    let depth = 1;
    while (depth > 0) {
      if (parts.at(-1)?.[1] === '.') lexer.advanceSegment();
      else lexer.advance();
      if (lexer.kind === 'end') depth--;
      else if (lexer.text === '{{' && lexer.kind === 'punctuator') depth++;
      const text = JSON.stringify(template.slice(lexer.start, lexer.end)).slice(1, -1);
      parts.push([kinds[lexer.kind] ?? 'punctuation', text]);
    }
    start = findExpression(template, lexer.end);
  }
  return parts;
}

/** After a backslash, braces are text. */
function findExpression(template: string, offset: number): number {
  const start = template.slice(offset).search(/(?<!\\)\{\{/);
  return start < 0 ? start : offset + start;
}

/** The same by the grammar. White space includes its escapes in JSON. */
function readTokens(grammar: IGrammar, line: string): readonly Part[] {
  const parts: Part[] = [];
  let text: string | undefined;
  for (const { startIndex, endIndex, scopes } of grammar.tokenizeLine(line, INITIAL).tokens) {
    if (!scopes.includes('meta.embedded.iml')) continue;
    const token = line.slice(startIndex, endIndex);
    const scope = scopes.at(-1) ?? '';
    if (scope === 'punctuation.definition.string.begin.iml') text = token;
    else if (text !== undefined && scope === 'punctuation.definition.string.end.iml') {
      parts.push(['text', text + token]);
      text = undefined;
    } else if (text !== undefined) text += token;
    else if (!/^(?:\s|\\[nrt])*$/.test(token)) parts.push([kindOf(scope, token), token.trim()]);
  }
  return parts;
}

function kindOf(scope: string, text: string): Kind {
  if (/^(?:support\.function|constant\.language|variable)/.test(scope))
    return /^\d/.test(text) ? 'number' : 'name';
  if (scope.startsWith('constant.numeric')) return 'number';
  return scope.startsWith('keyword.operator') ? 'operator' : 'punctuation';
}
