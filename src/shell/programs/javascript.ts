// Package managers, test runners, linters and formatters of JavaScript projects.
import { checker, fetcher, packages, yarnLike } from '../commands/builders.ts'
import { concurrently, lintStaged, nodeRun, npx, packageManager, runAll } from '../executed/package-scripts.ts'
import { UNKNOWN } from '../executed/source-finder.ts'
import type { OutwardSubcommands, ProgramFacts, WrappedOptions } from './program.ts'
import { CONFIGURED_TESTS, NEAREST_PLUGINS, TESTS, tool, tools } from './tools.ts'

const { plugins, tests } = UNKNOWN
const NODE: OutwardSubcommands = {
  packages:
    'install i in ci add update up upgrade uninstall remove rm un audit outdated view create init dlx import link search',
  publishes:
    'publish unpublish deprecate login logout adduser whoami token owner access dist-tag team org profile hook star set config c'
}
const COVERAGE: readonly WrappedOptions[] = [
  {
    valued:
      '-r --reporter -n --include -x --exclude --cwd -o --reports-dir --report-dir -t --temp-dir -e --extension --require -i'
  }
]
const FETCHES = { classify: fetcher, runsPackages: true, find: npx } as const

export const JAVASCRIPT_PROGRAMS: readonly ProgramFacts[] = [
  {
    names: 'npm',
    classify: packages,
    outward: NODE,
    listings: ['ls', 'list', 'll', 'la', 'root', 'prefix', 'bin', 'why', 'explain', 'query', 'pkg get', 'help'],
    find: packageManager({
      valued: '--script-shell --loglevel --registry --userconfig --node-options --cache --otp --tag --omit --include',
      folderOptions: '--prefix -C',
      workspaceOptions: '-w --workspace',
      settings: '',
      binaries: 'exec x',
      addsQuietly: true
    })
  },
  {
    names: 'pnpm',
    classify: yarnLike,
    outward: NODE,
    listings: ['ls', 'list', 'll', 'why', 'root', 'bin'],
    runsPackages: true,
    find: packageManager({
      valued: '--loglevel --reporter --registry --store-dir --workspace-concurrency',
      folderOptions: '-C --dir --prefix',
      workspaceOptions: '--filter -F --filter-prod',
      settings: '.pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml',
      binaries: 'exec dlx',
      implied: true
    })
  },
  {
    names: 'yarn',
    classify: yarnLike,
    outward: { ...NODE, publishes: `${NODE.publishes} npm`, installsByDefault: true },
    listings: ['list', 'why', 'info', 'workspaces list'],
    runsPackages: true,
    find: packageManager({
      valued: '--use-yarnrc --registry --modules-folder --cache-folder',
      folderOptions: '--cwd',
      workspaceOptions: '',
      settings: '.yarnrc.yml .yarnrc .pnp.cjs .pnp.loader.mjs',
      binaries: 'exec dlx',
      implied: true
    })
  },
  {
    names: 'bun',
    classify: yarnLike,
    outward: NODE,
    listings: ['pm ls', 'pm bin'],
    script: { loading: '-r --preload -c --config', subcommands: 'run', optional: true, ends: /\.[cm]?[jt]sx?$/ },
    find: packageManager({
      valued: '-c --config -r --preload --env-file --port',
      folderOptions: '--cwd',
      workspaceOptions: '--filter -F',
      settings: 'bunfig.toml',
      binaries: 'x',
      implied: true
    })
  },
  { names: 'npx bunx pnpx', ...FETCHES },
  { names: 'pnx', runsPackages: true, find: npx },
  { names: 'corepack', outward: 'packages', wraps: [{ subcommands: 'pnpm yarn npm run' }] },
  { names: 'volta', executesLike: 'corepack' },
  { names: 'nvm', outward: 'packages' },
  // `node --run`.
  { names: 'node-run', find: nodeRun },
  { names: 'run-s run-p npm-run-all npm-run-all2', runsPackages: true, find: runAll },
  { names: 'concurrently conc', runsPackages: true, find: concurrently },
  checker(
    'jest',
    '-ibou -t: -w: --bail? --ci --coverage --no-coverage --runInBand --maxWorkers= --testNamePattern= --testPathPattern= ' +
      '--testPathPatterns= --verbose --silent --updateSnapshot --onlyChanged --watch --watchAll? --passWithNoTests ' +
      '--listTests --detectOpenHandles --forceExit --json --findRelatedTests --colors --no-cache --changedSince= ' +
      '--testLocationInResults --runTestsByPath',
    {
      files: ['package.json#jest jest.config.{js,ts,mjs,cjs,cts,json}'],
      search: 'nearest',
      config: '-c --config',
      loads:
        '--globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --testRunner --runner --transform --resolver --env --reporters',
      folder: '--rootDir',
      uses: 'babel',
      unknown: tests
    }
  ),
  checker(
    'vitest',
    '-u -t: --run --watch --coverage --no-coverage --testNamePattern= --bail= --update --silent --passWithNoTests ' +
      '--changed? --no-color --typecheck --hideSkippedTests --maxWorkers= --allowOnly --retry= --shard= ' +
      '--reporter=default --reporter=verbose --reporter=dot --reporter=json --reporter=junit --reporter=tap',
    {
      files: [
        'vitest.config.{ts,mts,cts,js,mjs,cjs} vite.config.{ts,mts,cts,js,mjs,cjs}',
        'vitest.{workspace,projects}.{ts,mts,cts,js,mjs,cjs,json}'
      ],
      search: 'nearest',
      config: '-c --config',
      loads: '--globalSetup --setupFiles --reporter --workspace',
      folder: '-r --root --dir',
      unknown: tests
    }
  ),
  checker(
    'mocha',
    '-bw -g: -f: -t: --grep= --fgrep= --bail --timeout= --invert --parallel --jobs= --retries= --exit --recursive ' +
      '--check-leaks --forbid-only --forbid-pending --dry-run --watch --colors --no-colors --slow=',
    {
      files: ['.mocharc.{cjs,js,mjs,yaml,yml,jsonc,json} package.json#mocha'],
      search: 'nearest',
      config: '--config',
      loads: '-r --require --file --opts --ui -R --reporter',
      unknown: tests
    }
  ),
  { names: '_mocha', executesLike: 'mocha' },
  tool('ava', {
    files: ['ava.config.{js,cjs,mjs} package.json#ava'],
    search: 'nearest',
    config: '--config',
    unknown: tests
  }),
  checker(
    'tap',
    '-b -j: -g: -t: --bail --jobs= --timeout= --grep= --only --disable-coverage --allow-empty-coverage ' +
      '--allow-incomplete-coverage --show-full-coverage --snapshot --changed --color --no-color ' +
      '--reporter=base --reporter=terse --reporter=tap',
    { files: ['.taprc package.json#tap'], search: 'nearest', loads: '--before --after', unknown: tests }
  ),
  {
    ...tool('nyc', {
      files: ['.nycrc .nycrc.{json,yaml,yml} nyc.config.{js,cjs,mjs} package.json#nyc'],
      config: '--nycrc-path'
    }),
    wraps: COVERAGE
  },
  { ...tool('c8', { files: ['.c8rc .c8rc.json package.json#c8'], config: '-c --config' }), wraps: COVERAGE },
  checker(
    'eslint',
    '--fix --fix-dry-run --quiet --max-warnings= --ext= --cache --no-error-on-unmatched-pattern --color --no-color ' +
      '--debug --report-unused-disable-directives --ignore-pattern= --no-ignore --no-inline-config --stats',
    {
      files: ['eslint.config.{js,mjs,cjs,ts,mts,cts}'],
      search: 'nearest',
      config: '-c --config',
      loads: '-f --format --parser --rulesdir --plugin',
      fallback: 'eslint-legacy',
      unknown: plugins
    }
  ),
  { names: 'eslint_d', executesLike: 'eslint' },
  tool('eslint-legacy', {
    files: ['.eslintrc.{js,cjs,yaml,yml,json} .eslintrc package.json#eslintConfig'],
    search: 'all'
  }),
  checker(
    'prettier',
    '-clwu --check --write --list-different --ignore-unknown --color --no-color --log-level= --cache ' +
      '--no-error-on-unmatched-pattern --single-quote --tab-width= --print-width= --use-tabs --no-semi --trailing-comma= ' +
      '--no-config --no-editorconfig',
    {
      files: [
        'package.json#prettier .prettierrc .prettierrc.{json,yaml,yml,json5,js,ts,mjs,mts,cjs,cts} ' +
          'prettier.config.{js,ts,mjs,mts,cjs,cts} .prettierrc.toml'
      ],
      search: 'nearest',
      config: '--config',
      loads: '--plugin',
      unknown: plugins
    }
  ),
  { names: 'prettierd', executesLike: 'prettier' },
  tool('stylelint', {
    files: [
      'package.json#stylelint .stylelintrc .stylelintrc.{json,yaml,yml,js,ts,cjs,mjs} stylelint.config.{js,ts,cjs,mjs}'
    ],
    search: 'nearest',
    config: '-c --config',
    loads: '--custom-syntax --custom-formatter --plugin',
    unknown: plugins
  }),
  tool('tslint', {
    files: ['tslint.{js,json,yaml}'],
    search: 'nearest',
    config: '-c --config',
    loads: '-r --rules-dir -s',
    unknown: plugins
  }),
  tool('markdownlint-cli2', {
    files: ['.markdownlint-cli2.{jsonc,yaml,cjs,mjs}', '.markdownlint.{jsonc,json,yaml,yml,cjs,mjs}'],
    config: '--config',
    unknown: plugins
  }),
  // Its finder knows the commands.
  {
    ...tool('lint-staged', {
      files: [
        '.lintstagedrc .lintstagedrc.{json,yaml,yml,mjs,mts,js,ts,cjs,cts} lint-staged.config.{mjs,mts,js,ts,cjs,cts}'
      ],
      search: 'nearest',
      config: '-c --config',
      unknown: plugins
    }),
    wraps: [],
    find: lintStaged
  },
  tool('knip', {
    files: ['knip.{json,jsonc} .knip.{json,jsonc} knip.{ts,js} knip.config.{ts,js} package.json#knip'],
    config: '-c --config',
    unknown: plugins
  }),
  tool('depcruise', { files: ['.dependency-cruiser.{json,js,cjs,mjs}'], config: '-c --config' }),
  tool('size-limit', { files: ['package.json#size-limit .size-limit.{json,js,cjs,mjs,ts}'], unknown: plugins }),
  // It executes nothing that its configuration names.
  checker(
    'tsc',
    '-bwdv -p: --project= --noEmit --watch --strict --pretty --skipLibCheck --incremental --listFiles --listFilesOnly ' +
      '--diagnostics --extendedDiagnostics --showConfig --target= --module= --lib= --jsx= --declaration --sourceMap --build ' +
      '--verbose --force --dry --clean'
  ),
  checker(
    'biome',
    '--write --unsafe --fix --apply --staged --changed --since= --error-on-warnings --max-diagnostics= ' +
      '--diagnostic-level= --colors= --verbose --no-errors-on-unmatched --only= --skip= --reporter='
  ),
  ...tools(TESTS, {
    jasmine: { files: ['spec/support/jasmine.{json,js,mjs}'], config: '--config', loads: '--helper --require' },
    cypress: {
      subcommands: 'run open',
      files: ['cypress.config.{js,ts,mjs,cjs} cypress.json'],
      config: '-C --config-file',
      folder: '-P --project'
    },
    karma: {
      subcommands: 'start run',
      files: ['karma.conf.{js,coffee,ts} .config/karma.conf.{js,coffee,ts}'],
      operands: 'replace'
    },
    wdio: { files: ['wdio.conf.{ts,js,mjs,cjs}'], operands: 'replace' },
    testcafe: { files: ['.testcaferc.{js,cjs,json}'], config: '--config-file' },
    stryker: { files: ['stryker.config.{json,js,mjs,cjs,conf.json} stryker.conf.{js,json,mjs,cjs}'] }
  }),
  ...tools(CONFIGURED_TESTS, {
    playwright: {
      subcommands: 'test merge-reports',
      files: ['playwright.config.{ts,js,mts,mjs,cts,cjs}'],
      loads: '--reporter'
    },
    nightwatch: { files: ['nightwatch.conf.{ts,js,cjs} nightwatch.json'] },
    'cucumber-js cucumber': { files: ['cucumber.{json,yaml,yml,js,cjs,mjs}'], loads: '-r --require -i --import' }
  }),
  ...tools(NEAREST_PLUGINS, {
    xo: { files: ['package.json#xo .xo-config .xo-config.{json,js,cjs} xo.config.{js,cjs,mjs,ts}'] },
    remark: {
      files: ['package.json#remarkConfig .remarkrc .remarkrc.{cjs,mjs,js,json,yaml,yml}'],
      loads: '-u --use -r --rc-path'
    },
    commitlint: {
      files: [
        'package.json#commitlint .commitlintrc .commitlintrc.{json,yaml,yml,js,cjs,mjs,ts,cts,mts} commitlint.config.{js,cjs,mjs,ts,cts,mts}'
      ],
      config: '-g --config',
      loads: '-x --extends -o --format -P --plugins'
    }
  })
]
