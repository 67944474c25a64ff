import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, which their size does not tell. */
const LONGEST: readonly string[] = [
  ...['fuzz/fuzz', 'canary/recording', 'canary/module', 'canary/command', 'docs/docs'],
  ...['host/chaos', 'host/crash-matrix', 'host/load', 'host/host-commands', 'host/queue-contract'],
  ...['rest/contract-postgres', 'rest/public-cli', 'host/serve-process', 'host/open-host-postgres'],
  ...['browser/page', 'sandbox/host', 'sandbox/limits', 'package/packed'],
  ...[
    'parameters/to-json-schema',
    'cli/test-command',
    'run/turns',
    'iml/pattern/replace-pattern',
    'iml/hostile',
  ],
];

/**
 * Project by project, as they stand in the list of names, since files of one share a worker; of each the longest first, so
 * that none is left alone at the end.
 */
export function longestFirst(projects: readonly string[]): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const bySize = await super.sort(files);
      return bySize.sort((a, b) => rankOf(a, projects) - rankOf(b, projects));
    }
  };
}

function rankOf({ project, moduleId }: TestSpecification, projects: readonly string[]): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return projects.indexOf(project.name) * 1000 + (place === -1 ? LONGEST.length : place);
}
