import type { WarningCode } from '../../../engine/document/document.js';
import type { Rule } from '../rule.js';
import { PLATFORM_DIRECTIVES } from './platform-only.js';

/** Creates a rule for warnings of loading. */
function createLoaderRule({
  codes,
  ...rule
}: Omit<Rule, 'check'> & { readonly codes: readonly WarningCode[] }): Rule {
  return {
    ...rule,
    check: ({ app }, report) => {
      for (const { code, message, place } of app.warnings)
        if (codes.includes(code)) report({ message, place });
    },
  };
}

const OF_TEMPLATES = createLoaderRule({
  id: 'syntax',
  level: 'error',
  codes: ['syntax'],
  summary: 'An expression does not parse.',
  why: 'The app loads, and a run that comes to the expression ends with an error.',
  bad: '"name": "{{item.first item.last}}"',
  good: '"name": "{{item.first}} {{item.last}}"',
});

/** `iterate` accepts a path without braces, which loading treats as text. */
const tellBarePaths: Rule['check'] = ({ expressions }, report) => {
  for (const { parsed, text, placeAt } of expressions) {
    if (!parsed.ok && !text.includes('{{')) report({ message: parsed.error.message, place: placeAt(0) });
  }
};

export const syntax: Rule = {
  ...OF_TEMPLATES,
  check: (subject, report) => {
    OF_TEMPLATES.check(subject, report);
    tellBarePaths(subject, report);
  },
};

const UNKNOWN_KEYS: Rule = createLoaderRule({
  id: 'unknown-directive',
  level: 'warning',
  codes: ['unknown-key'],
  summary: 'A file has a key that nothing reads there.',
  why: 'It has no effect: most often it is misspelt, or belongs one level up or down.',
  bad: '"respones": { "output": "{{body}}" }',
  good: '"response": { "output": "{{body}}" }',
});

export const unknownDirective: Rule = {
  ...UNKNOWN_KEYS,
  check: (subject, report) => {
    UNKNOWN_KEYS.check(subject, (finding) => {
      // `platform-only` reports more.
      const key = finding.place.pointer?.split('/').at(-1) ?? '';
      if (!PLATFORM_DIRECTIVES.has(key)) report(finding);
    });
  },
};

export const wrongType: Rule = createLoaderRule({
  id: 'wrong-type',
  level: 'error',
  codes: ['wrong-type'],
  summary: 'A directive or a field of the manifest has a value of a kind that it cannot have.',
  why: 'The value is left out, as if it had not been written.',
  bad: '"headers": ["accept: application/json"]',
  good: '"headers": { "accept": "application/json" }',
});

export const duplicateKey: Rule = createLoaderRule({
  id: 'duplicate-key',
  level: 'error',
  codes: ['duplicate-key'],
  summary: 'An object has two members of one name.',
  why: 'Only the last one counts; what the first one says is lost.',
  bad: '{ "url": "/a", "url": "/b" }',
  good: '{ "url": "/b" }',
});

export const unknownReference: Rule = createLoaderRule({
  id: 'unknown-reference',
  level: 'error',
  codes: ['unknown-reference'],
  summary: 'A connection, webhook, RPC or module is named that the app does not have.',
  why: 'A run that needs it cannot start, a form shows nothing where an RPC should give its fields, and a call of an endpoint runs with the connection of its caller.',
  bad: '"options": "rpc://listTable"',
  good: '"options": "rpc://listTables"',
});

export const missingFile: Rule = createLoaderRule({
  id: 'missing-file',
  level: 'warning',
  codes: ['missing-file', 'unread-file'],
  summary: 'The manifest names a file that is not there.',
  why: 'What the file would say is missing: common data or readmes may well be kept elsewhere, code of functions may not.',
  bad: '"code": "functions/total/total.js"',
  good: '"code": "functions/total/code.js"',
});

export const missingCommunication: Rule = createLoaderRule({
  id: 'missing-communication',
  level: 'error',
  codes: ['missing-communication'],
  summary: 'A component has no communication.',
  why: 'There is nothing it could run: every run of it ends with an InvalidConfigurationError.',
  bad: '"getUser": { "moduleType": "action", "codeFiles": {} }',
  good: '"getUser": { "moduleType": "action", "codeFiles": { "communication": "modules/getUser/getUser.communication.iml.json" } }',
});

export const undeclaredFile: Rule = createLoaderRule({
  id: 'undeclared-file',
  level: 'info',
  codes: ['undeclared-file'],
  summary: 'A file looks like a part of the app and no component names it.',
  why: 'It is not deployed and does not run.',
  bad: 'modules/oldThing/oldThing.communication.iml.json',
  good: 'The file is removed, or named by a component of the manifest.',
});

export const missingUid: Rule = createLoaderRule({
  id: 'missing-uid',
  level: 'error',
  codes: ['missing-uid'],
  summary: 'A shared webhook or its connection has no `uid`.',
  why: 'Events go to the connections whose `uid` equals that of the event. Without one of the two no connection receives them.',
  bad: '{ "output": "{{body}}" }',
  good: '{ "uid": "{{body.team_id}}", "output": "{{body}}" }',
});

export const manifestShape: Rule = createLoaderRule({
  id: 'manifest-shape',
  level: 'warning',
  codes: ['null-component', 'component-is-array', 'undeclared-component', 'upgraded'],
  summary: 'The manifest holds a component in a shape that the editor does not write.',
  why: 'It is read as far as it can be; other tools may not.',
  bad: '"components": { "rpc": [{ "name": "listTables" }] }',
  good: '"components": { "rpc": { "listTables": {} } }',
});

export const relativeUrl: Rule = createLoaderRule({
  id: 'relative-url',
  level: 'error',
  codes: ['unusable-url'],
  summary: 'A relative url has no `baseUrl` to follow, or the `baseUrl` has no scheme.',
  why: 'There is no address to send the request to, and the run ends with an InvalidConfigurationError. Connections and the specification of a webhook do not inherit the base.',
  bad: '{ "baseUrl": "api.example.com" }',
  good: '{ "baseUrl": "https://api.example.com" }',
});

export const missingUrl: Rule = createLoaderRule({
  id: 'missing-url',
  level: 'error',
  codes: ['missing-url'],
  summary: 'A polling trigger or a connection has no `url`.',
  why: 'Both have to ask a service: requests without url exist in other modules and RPCs only. The run ends with an InvalidConfigurationError.',
  bad: '{ "response": { "data": { "key": "{{parameters.key}}" } } }',
  good: '{ "url": "https://api.example.com/me", "response": { "data": { "key": "{{parameters.key}}" } } }',
});

export const shadowedFunction: Rule = createLoaderRule({
  id: 'shadowed-function',
  level: 'warning',
  codes: ['builtin-name'],
  summary: 'A custom function has the name of a built-in one.',
  why: "Expressions call the app's own function and can no longer reach the built-in one, which a reader of the spec does not expect.",
  bad: 'functions/join/code.js: function join(list) { ... }',
  good: 'functions/joinNames/code.js: function joinNames(list) { ... }',
});

export const functionLength: Rule = createLoaderRule({
  id: 'function-length',
  level: 'error',
  codes: ['long-function'],
  summary: 'A custom function has more characters of code than the platform takes.',
  why: 'The platform refuses functions of more than 5000 characters.',
  bad: 'a file of 7200 characters',
  good: 'two functions of 3600 characters, one calling the other by `iml`',
});
