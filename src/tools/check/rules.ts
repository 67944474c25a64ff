import type { Rule } from './rule.js';
import { BRACE_RULES } from './rules/braces.js';
import { COMPONENT_RULES } from './rules/components.js';
import { CONNECTION_RULES } from './rules/connections.js';
import { DATE_RULES } from './rules/dates.js';
import { EXPRESSION_RULES } from './rules/expressions.js';
import { FORM_KEY_RULES } from './rules/form-keys.js';
import { FORM_RULES } from './rules/forms.js';
import { FUNCTION_RULES } from './rules/function-calls.js';
import { FUNCTION_CODE_RULES } from './rules/function-code.js';
import { LOADER_RULES } from './rules/loader-rules.js';
import { MEMBER_RULES } from './rules/member-rules.js';
import { NAME_RULES } from './rules/names.js';
import { PAGING_RULES } from './rules/paging.js';
import { REQUEST_RULES } from './rules/requests.js';
import { RESULT_RULES } from './rules/results.js';
import { BASE_REVIEW } from './rules/review/base.js';
import { CONNECTION_REVIEW } from './rules/review/connections.js';
import { FORM_REVIEW } from './rules/review/forms.js';
import { FUNCTION_REVIEW } from './rules/review/functions.js';
import { MODULE_REVIEW } from './rules/review/modules.js';
import { WEBHOOK_AND_RPC_REVIEW } from './rules/review/webhooks-rpcs.js';
import { SECRET_RULES } from './rules/secrets.js';

/** All rules, those of the language first. */
export const RULES: readonly Rule[] = [
  ...FUNCTION_RULES,
  ...FUNCTION_CODE_RULES,
  ...DATE_RULES,
  ...NAME_RULES,
  ...EXPRESSION_RULES,
  ...BRACE_RULES,
  ...MEMBER_RULES,
  ...LOADER_RULES,
  ...REQUEST_RULES,
  ...RESULT_RULES,
  ...SECRET_RULES,
  ...PAGING_RULES,
  ...CONNECTION_RULES,
  ...FORM_RULES,
  ...FORM_KEY_RULES,
  ...COMPONENT_RULES,
  ...BASE_REVIEW,
  ...CONNECTION_REVIEW,
  ...MODULE_REVIEW,
  ...WEBHOOK_AND_RPC_REVIEW,
  ...FORM_REVIEW,
  ...FUNCTION_REVIEW,
];

/** ID of the diagnostic for an app that does not load. */
export const LOAD_ERROR = 'cannot-load';

/** ID of the diagnostic for an invalid `iml.config.json`. */
export const SETTINGS_ERROR = 'unusable-settings';
