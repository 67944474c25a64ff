/**
 * What a change does to existing scenarios. `breaking`: it is in Make's list of breaking changes, or removes what a
 * scenario uses. `risky`: the list does not name it, and it can break a scenario. `safe`: neither.
 */
export type ChangeLevel = 'breaking' | 'risky' | 'safe';

/** The levels, most severe first. */
export const CHANGE_LEVELS: readonly ChangeLevel[] = ['breaking', 'risky', 'safe'];

/**
 * The rules by id. Source of the breaking ones:
 * https://developers.make.com/custom-apps-documentation/app-maintenance/updating-your-app/approved-apps/managing-breaking-changes
 * [doc]. Rules that are not in that list are marked.
 */
export const DIFF_RULES = {
  'base-changed': { level: 'breaking', summary: 'The base was changed, which every module inherits.' },
  'connection-refresh': {
    level: 'breaking',
    summary: 'The refresh call of a connection was added or changed.',
  },
  'connection-moved': { level: 'breaking', summary: 'A component uses another connection.' },
  'output-changed': { level: 'breaking', summary: '`response.output` was changed.' },
  'output-extended': {
    level: 'risky',
    summary: '`response.output` has additional members; the others are the same.',
  }, // [inf]
  'type-changed': { level: 'breaking', summary: '`response.type` was changed.' },
  'trigger-changed': { level: 'breaking', summary: '`response.trigger` was changed.' },
  'valid-added': {
    level: 'breaking',
    summary: '`response.valid` was added, so responses that were accepted can fail.',
  },
  'condition-added': { level: 'breaking', summary: '`condition` was added to a request.' },
  'request-added': { level: 'breaking', summary: 'A request was added to a chain.' },
  'parameter-required-added': { level: 'breaking', summary: 'A required parameter was added.' },
  'parameter-required': { level: 'breaking', summary: 'An optional parameter became required.' },
  'parameter-removed': { level: 'breaking', summary: 'A parameter was removed or renamed.' },
  'parameter-type': {
    level: 'breaking',
    summary: 'The type of a parameter no longer accepts the former values.',
  },
  'parameter-validate': { level: 'breaking', summary: '`validate` was added to a parameter.' },
  'select-not-mappable': { level: 'breaking', summary: 'A select is no longer mappable.' },
  'select-not-dynamic': { level: 'breaking', summary: 'The options of a select no longer come from an RPC.' },
  'option-removed': {
    level: 'breaking',
    summary: 'An option of a select was removed, or its value was changed.',
  },
  'webhook-changed': { level: 'breaking', summary: 'The communication of a webhook was changed.' },
  'rpc-parameter-required': { level: 'breaking', summary: 'A parameter of an RPC became required.' },
  'rpc-fields-changed': { level: 'breaking', summary: 'An RPC that loads fields of a form was changed.' },
  'function-changed': { level: 'breaking', summary: 'The code of a custom function was changed.' },
  // Derived from the list: scenarios use a removed component. [inf]
  'component-removed': { level: 'breaking', summary: 'A component was removed that scenarios use.' },
  'webhook-moved': { level: 'breaking', summary: 'An instant trigger uses another webhook.' },
  // Notes of a reviewer of custom apps. [rt]
  'interface-removed': {
    level: 'risky',
    summary: 'A field of an interface was removed or renamed; mappings of it are empty.',
  },
  'connection-parameter': {
    level: 'risky',
    summary: 'A parameter of a connection was changed; connections lack the value.',
  },
  'module-type': { level: 'risky', summary: 'The type of a module was changed.' },
  'url-changed': { level: 'risky', summary: 'The path of a request was changed.' },
  // [inf]
  'interface-type': { level: 'risky', summary: 'The type of a field of an interface was changed.' },
  'iterate-changed': {
    level: 'risky',
    summary: '`iterate` or `wrapper` was changed, so a run can have other bundles.',
  },
  'fewer-results': {
    level: 'risky',
    summary:
      '`pagination` was removed or changed, or `limit` was added or lowered, so a run can have fewer bundles.',
  },
  'default-changed': {
    level: 'risky',
    summary: 'The default of a parameter was changed; scenarios without a value use it.',
  },
  'rpc-changed': {
    level: 'risky',
    summary: 'Options come from another RPC, which may not have the values that scenarios hold.',
  },
  'method-changed': { level: 'risky', summary: 'The HTTP method of a request was changed.' },
  'valid-changed': { level: 'risky', summary: '`response.valid` was changed.' },
  'validate-changed': { level: 'risky', summary: 'A limit in `validate` of a parameter was changed.' },
  'request-removed': { level: 'risky', summary: 'A request was removed from a chain.' },
  'scope-added': { level: 'risky', summary: 'A scope was added; existing connections lack it.' },
  'connection-type': { level: 'risky', summary: 'The type of a connection was changed.' },
  'component-added': { level: 'safe', summary: 'A component was added.' },
  'parameter-added': { level: 'safe', summary: 'An optional parameter or an option was added.' },
  'type-widened': {
    level: 'safe',
    summary: 'The type of a parameter or field was changed to one that accepts the former values.',
  },
  'interface-added': { level: 'safe', summary: 'A field of an interface was added.' },
  'other-change': {
    level: 'safe',
    summary: 'Anything else: labels, help, samples, headers, error messages, unused components.',
  },
} as const;

/** The id of a rule of `iml diff`. */
export type DiffRuleId = keyof typeof DIFF_RULES;
