import { described, type KeyShape, type Shape } from '../../document/shapes/shape.js';
import { SEMANTICS } from '../../iml/environment/environment.js';
import { LEVELS } from '../finding.js';
import { RULES } from '../rules.js';

/** Valid levels. */
export const LEVEL_WORDS: readonly string[] = [...LEVELS, 'off'];

const RULE_LEVELS: Shape = {
  title: 'levels of rules',
  keys: Object.fromEntries(
    RULES.map(({ id, level, summary }): [string, KeyShape] => [
      id,
      described(`${summary} Default: ${level}.`, { types: ['string'] }, LEVEL_WORDS),
    ]),
  ),
};

const CHECK_SHAPE: Shape = {
  title: 'check',
  keys: {
    rules: described('Levels of rules; `off` switches one off.', { types: ['object'], shape: RULE_LEVELS }),
    ignore: described('Folders below the app whose files nothing is told of.', { types: ['array'] }),
  },
};

/** Structure of `iml.config.json`. */
export const CONFIG_SHAPE: Shape = {
  title: 'iml.config.json',
  keys: {
    $schema: described('Address of the schema of this file.', { types: ['string'] }),
    check: described('Settings of `iml check`.', { types: ['object'], shape: CHECK_SHAPE }),
    scenarios: described(
      'Files of scenarios that `iml check` looks at, in the folder of this file or below it. Default: `scenarios.json` beside the manifest, if it is there.',
      { types: ['string', 'array'] },
    ),
    semantics: described(
      "Which counts where Make's runtime and its documentation differ. Default: runtime. Read beside the manifest.",
      { types: ['string'] },
      SEMANTICS,
    ),
    test: described('Settings of `iml test`.', { types: ['object'] }),
  },
};

/** Valid members of the root, of `check`, and of `check.rules`. */
export const CONFIG_KEYS: Readonly<Record<'root' | 'check' | 'rules', readonly string[]>> = {
  root: Object.keys(CONFIG_SHAPE.keys),
  check: Object.keys(CHECK_SHAPE.keys),
  rules: Object.keys(RULE_LEVELS.keys),
};
