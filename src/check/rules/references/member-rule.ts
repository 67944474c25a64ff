import { didYouMean } from '../../../util/suggest.js';
import type { Rule } from '../../rule.js';
import type { DeclaredNames } from '../../subject/declared-names.js';
import type { ExpressionSite } from '../../subject/expression-site.js';
import { findingAt } from '../../subject/site-finding.js';
import type { Subject } from '../../subject/subject.js';

/** A rule on the first member of paths that start with certain names: `temp.token`. */
export interface MemberRule extends Omit<Rule, 'check'> {
  readonly roots: readonly string[];
  /** Known members at a location; undefined if unknown. */
  readonly declared: (subject: Subject, site: ExpressionSite, root: string) => DeclaredNames | undefined;
  readonly message: (name: string) => string;
}

/** Creates a rule for undeclared members. */
export function createMemberRule({ roots, declared, message, ...rule }: MemberRule): Rule {
  return {
    ...rule,
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const { root, members } of site.paths) {
          const [member] = members;
          if (!roots.includes(root.name) || member?.name === undefined || member.node.kind !== 'member')
            continue;
          const known = declared(subject, site, root.name);
          if (known === undefined || known.isOpen || known.names.has(member.name)) continue;
          const range = {
            start: member.node.end - writtenLength(site, member.node.end, member.name),
            end: member.node.end,
          };
          report(findingAt(site, range, message(member.name) + didYouMean(member.name, known.names)));
        }
      }
    },
  };
}

/** Backticks add two characters. */
function writtenLength({ parsed }: ExpressionSite, end: number, name: string): number {
  return parsed.ok && parsed.template.source[end - 1] === '`' ? name.length + 2 : name.length;
}
