// Tools of JavaScript projects whose configuration is code, or names code that they load.
import type { ConfiguredTool } from './configured-tools.ts'
import { UNKNOWN } from './source-finder.ts'

const { plugins, tests, build } = UNKNOWN

export const JAVASCRIPT_TOOLS: readonly ConfiguredTool[] = [
  // Tests.
  {
    programs: 'jest',
    files: ['package.json#jest jest.config.{js,ts,mjs,cjs,cts,json}'],
    search: 'nearest',
    config: '-c --config',
    loads:
      '--globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --testRunner --runner --transform --resolver --env --reporters',
    folder: '--rootDir',
    uses: 'babel',
    unknown: tests
  },
  {
    programs: 'vitest',
    files: [
      'vitest.config.{ts,mts,cts,js,mjs,cjs} vite.config.{ts,mts,cts,js,mjs,cjs}',
      'vitest.{workspace,projects}.{ts,mts,cts,js,mjs,cjs,json}'
    ],
    search: 'nearest',
    config: '-c --config',
    loads: '--globalSetup --setupFiles --reporter --workspace',
    folder: '-r --root --dir',
    unknown: tests
  },
  {
    programs: 'mocha _mocha',
    files: ['.mocharc.{cjs,js,mjs,yaml,yml,jsonc,json} package.json#mocha'],
    search: 'nearest',
    config: '--config',
    loads: '-r --require --file --opts --ui -R --reporter',
    unknown: tests
  },
  {
    programs: 'ava',
    files: ['ava.config.{js,cjs,mjs} package.json#ava'],
    search: 'nearest',
    config: '--config',
    unknown: tests
  },
  { programs: 'tap', files: ['.taprc package.json#tap'], search: 'nearest', loads: '--before --after', unknown: tests },
  {
    programs: 'jasmine',
    files: ['spec/support/jasmine.{json,js,mjs}'],
    config: '--config',
    loads: '--helper --require',
    unknown: tests
  },
  {
    programs: 'playwright',
    subcommands: 'test merge-reports',
    files: ['playwright.config.{ts,js,mts,mjs,cts,cjs}'],
    config: '-c --config',
    loads: '--reporter',
    unknown: tests
  },
  {
    programs: 'cypress',
    subcommands: 'run open',
    files: ['cypress.config.{js,ts,mjs,cjs} cypress.json'],
    config: '-C --config-file',
    folder: '-P --project',
    unknown: tests
  },
  {
    programs: 'karma',
    subcommands: 'start run',
    files: ['karma.conf.{js,coffee,ts} .config/karma.conf.{js,coffee,ts}'],
    operands: 'replace',
    unknown: tests
  },
  { programs: 'wdio', files: ['wdio.conf.{ts,js,mjs,cjs}'], operands: 'replace', unknown: tests },
  {
    programs: 'nightwatch',
    files: ['nightwatch.conf.{ts,js,cjs} nightwatch.json'],
    config: '-c --config',
    unknown: tests
  },
  {
    programs: 'cucumber-js cucumber',
    files: ['cucumber.{json,yaml,yml,js,cjs,mjs}'],
    config: '-c --config',
    loads: '-r --require -i --import',
    unknown: tests
  },
  { programs: 'testcafe', files: ['.testcaferc.{js,cjs,json}'], config: '--config-file', unknown: tests },
  {
    programs: 'nyc',
    files: ['.nycrc .nycrc.{json,yaml,yml} nyc.config.{js,cjs,mjs} package.json#nyc'],
    config: '--nycrc-path'
  },
  { programs: 'c8', files: ['.c8rc .c8rc.json package.json#c8'], config: '-c --config' },
  {
    programs: 'stryker',
    files: ['stryker.config.{json,js,mjs,cjs,conf.json} stryker.conf.{js,json,mjs,cjs}'],
    unknown: tests
  },

  {
    programs: 'deno',
    subcommands: 'run test bench serve check compile lint fmt',
    files: ['deno.json deno.jsonc'],
    search: 'nearest',
    config: '-c --config'
  },
  { programs: 'deno', subcommands: 'test bench', unknown: tests },

  // Linters and formatters.
  {
    programs: 'eslint eslint_d',
    files: ['eslint.config.{js,mjs,cjs,ts,mts,cts}'],
    search: 'nearest',
    config: '-c --config',
    loads: '-f --format --parser --rulesdir --plugin',
    fallback: 'eslint-legacy',
    unknown: plugins
  },
  {
    programs: 'eslint-legacy',
    files: ['.eslintrc.{js,cjs,yaml,yml,json} .eslintrc package.json#eslintConfig'],
    search: 'all'
  },
  {
    programs: 'prettier prettierd',
    files: [
      'package.json#prettier .prettierrc .prettierrc.{json,yaml,yml,json5,js,ts,mjs,mts,cjs,cts} ' +
        'prettier.config.{js,ts,mjs,mts,cjs,cts} .prettierrc.toml'
    ],
    search: 'nearest',
    config: '--config',
    loads: '--plugin',
    unknown: plugins
  },
  {
    programs: 'stylelint',
    files: [
      'package.json#stylelint .stylelintrc .stylelintrc.{json,yaml,yml,js,ts,cjs,mjs} stylelint.config.{js,ts,cjs,mjs}'
    ],
    search: 'nearest',
    config: '-c --config',
    loads: '--custom-syntax --custom-formatter --plugin',
    unknown: plugins
  },
  {
    programs: 'xo',
    files: ['package.json#xo .xo-config .xo-config.{json,js,cjs} xo.config.{js,cjs,mjs,ts}'],
    search: 'nearest',
    unknown: plugins
  },
  {
    programs: 'tslint',
    files: ['tslint.{js,json,yaml}'],
    search: 'nearest',
    config: '-c --config',
    loads: '-r --rules-dir -s',
    unknown: plugins
  },
  {
    programs: 'markdownlint-cli2',
    files: ['.markdownlint-cli2.{jsonc,yaml,cjs,mjs}', '.markdownlint.{jsonc,json,yaml,yml,cjs,mjs}'],
    config: '--config',
    unknown: plugins
  },
  {
    programs: 'remark',
    files: ['package.json#remarkConfig .remarkrc .remarkrc.{cjs,mjs,js,json,yaml,yml}'],
    search: 'nearest',
    loads: '-u --use -r --rc-path',
    unknown: plugins
  },
  {
    programs: 'commitlint',
    files: [
      'package.json#commitlint .commitlintrc .commitlintrc.{json,yaml,yml,js,cjs,mjs,ts,cts,mts} commitlint.config.{js,cjs,mjs,ts,cts,mts}'
    ],
    search: 'nearest',
    config: '-g --config',
    loads: '-x --extends -o --format -P --plugins',
    unknown: plugins
  },
  {
    programs: 'lint-staged',
    files: [
      '.lintstagedrc .lintstagedrc.{json,yaml,yml,mjs,mts,js,ts,cjs,cts} lint-staged.config.{mjs,mts,js,ts,cjs,cts}'
    ],
    search: 'nearest',
    config: '-c --config',
    unknown: plugins
  },
  {
    programs: 'knip',
    files: ['knip.{json,jsonc} .knip.{json,jsonc} knip.{ts,js} knip.config.{ts,js} package.json#knip'],
    config: '-c --config',
    unknown: plugins
  },
  { programs: 'depcruise', files: ['.dependency-cruiser.{json,js,cjs,mjs}'], config: '-c --config' },
  { programs: 'size-limit', files: ['package.json#size-limit .size-limit.{json,js,cjs,mjs,ts}'], unknown: plugins },

  // Bundlers and compilers.
  {
    programs: 'webpack webpack-dev-server',
    files: ['{webpack.config,.webpack/webpack.config,.webpack/webpackfile}.{js,mjs,cjs,ts,mts,cts}'],
    config: '-c --config',
    uses: 'babel postcss',
    unknown: build
  },
  {
    programs: 'rspack',
    files: ['rspack.config.{js,ts,mjs,mts,cjs,cts}'],
    config: '-c --config',
    uses: 'postcss',
    unknown: build
  },
  {
    programs: 'rsbuild',
    files: ['rsbuild.config.{mjs,ts,js,cjs,mts,cts}'],
    config: '-c --config',
    uses: 'postcss',
    unknown: build
  },
  {
    programs: 'rollup',
    files: ['rollup.config.{mjs,cjs,ts,js}'],
    config: '-c --config',
    loads: '-p --plugin --configPlugin',
    unknown: build
  },
  { programs: 'rolldown', files: ['rolldown.config.{js,mjs,cjs,ts,mts,cts}'], config: '-c --config', unknown: build },
  {
    programs: 'vite',
    files: ['vite.config.{js,mjs,ts,cjs,mts,cts}'],
    config: '-c --config',
    uses: 'postcss',
    unknown: build
  },
  {
    programs: 'vite-node',
    files: ['vite.config.{js,mjs,ts,cjs,mts,cts}'],
    config: '-c --config',
    operands: 'replace',
    unknown: build
  },
  {
    programs: 'tsup',
    files: ['tsup.config.{ts,cts,mts,js,mjs,cjs,json} package.json#tsup'],
    config: '--config',
    unknown: build
  },
  {
    programs: 'tsdown',
    files: ['tsdown.config.{ts,mts,cts,js,mjs,cjs,json} package.json#tsdown'],
    config: '-c --config',
    unknown: build
  },
  {
    programs: 'unbuild',
    files: ['build.config.{js,cjs,mjs,ts,mts,cts,json} package.json#unbuild package.json#build'],
    unknown: build
  },
  {
    programs: 'parcel',
    files: ['.parcelrc'],
    search: 'nearest',
    config: '--config',
    uses: 'babel postcss',
    unknown: build
  },
  {
    programs: 'babel babel-node',
    files: ['babel.config.{js,cjs,mjs,json,cts,ts,mts}', '.babelrc .babelrc.{js,cjs,mjs,json,cts} package.json#babel'],
    search: 'nearest',
    config: '--config-file',
    loads: '--plugins --presets',
    unknown: plugins
  },
  {
    programs: 'postcss',
    files: [
      'package.json#postcss .postcssrc .postcssrc.{json,yaml,yml,ts,cts,mts,js,cjs,mjs} postcss.config.{ts,cts,mts,js,cjs,mjs,json}',
      'tailwind.config.{js,cjs,mjs,ts,cts,mts}'
    ],
    search: 'nearest',
    config: '--config',
    loads: '-u --use',
    unknown: plugins
  },
  {
    programs: 'tailwindcss tailwind',
    files: ['tailwind.config.{js,cjs,mjs,ts,cts,mts}'],
    config: '-c --config',
    loads: '--postcss',
    unknown: plugins
  },
  {
    programs: 'gulp',
    files: ['gulpfile.{js,ts,mjs,cjs,babel.js,esm.js} Gulpfile.{js,ts}'],
    search: 'nearest',
    config: '-f --gulpfile',
    loads: '--require',
    folder: '--cwd',
    unknown: build
  },
  {
    programs: 'grunt',
    files: ['Gruntfile.{js,cjs,coffee} gruntfile.{js,cjs,coffee}'],
    search: 'nearest',
    config: '--gruntfile',
    loads: '--require',
    folder: '--base',
    unknown: build
  },
  {
    programs: 'jake',
    files: ['Jakefile Jakefile.{js,cjs,ts}'],
    search: 'nearest',
    config: '-f --jakefile',
    unknown: build
  },

  // Frameworks.
  {
    programs: 'next',
    files: ['next.config.{js,mjs,ts,mts}'],
    operandFolder: true,
    subcommands: 'build dev start lint export',
    uses: 'postcss babel',
    unknown: build
  },
  { programs: 'next', files: ['next.config.{js,mjs,ts,mts}'], subcommands: 'info telemetry' },
  { programs: 'nuxt nuxi', files: ['nuxt.config.{ts,js,mjs,cjs,mts,cts}', '.nuxtrc'], uses: 'postcss', unknown: build },
  {
    programs: 'astro',
    files: ['astro.config.{mjs,js,ts,mts,cjs,cts}'],
    config: '--config',
    folder: '--root',
    uses: 'postcss',
    unknown: build
  },
  {
    programs: 'svelte-kit svelte-check',
    files: ['svelte.config.{js,ts,mjs}', 'vite.config.{js,mjs,ts,cjs,mts,cts}'],
    unknown: build
  },
  { programs: 'remix', files: ['remix.config.{js,mjs,cjs}', 'vite.config.{js,mjs,ts,mts}'], unknown: build },
  { programs: 'react-router', files: ['react-router.config.{ts,js}', 'vite.config.{js,mjs,ts,mts}'], unknown: build },
  {
    programs: 'gatsby',
    files: ['gatsby-config.{js,ts,mjs}', 'gatsby-node.{js,ts,mjs}', 'gatsby-browser.{js,tsx}', 'gatsby-ssr.{js,tsx}'],
    unknown: build
  },
  {
    programs: 'docusaurus',
    files: ['docusaurus.config.{ts,mts,cts,js,mjs,cjs}', 'sidebars.{ts,js}'],
    config: '--config',
    unknown: build
  },
  {
    programs: 'vuepress vitepress',
    files: ['.vitepress/config.{js,ts,mjs,mts}', 'docs/.vitepress/config.{js,ts,mjs,mts}', '.vuepress/config.{js,ts}'],
    unknown: build
  },
  { programs: 'eleventy', files: ['.eleventy.js eleventy.config.{js,mjs,cjs}'], config: '--config', unknown: build },
  { programs: 'vue-cli-service', files: ['vue.config.{js,cjs,mjs,ts}'], uses: 'babel postcss', unknown: build },
  { programs: 'react-scripts craco', files: ['craco.config.{js,ts,cjs} package.json#jest'], unknown: build },
  { programs: 'ng', files: ['angular.json .angular.json'], search: 'nearest', unknown: build },
  {
    programs: 'storybook start-storybook build-storybook sb',
    files: ['.storybook/main.{ts,js,mjs,cjs,mts,cts}', '.storybook/preview.{ts,tsx,js,jsx}'],
    valued: '-p --port -c --config-dir',
    unknown: build
  },
  {
    programs: 'react-native metro',
    files: ['metro.config.{js,cjs,mjs,json,ts}', 'react-native.config.{js,cjs,mjs,ts}'],
    config: '--config',
    uses: 'babel',
    unknown: build
  },
  {
    programs: 'expo eas',
    files: ['app.config.{ts,js} app.json', 'metro.config.{js,cjs,mjs,ts}'],
    uses: 'babel',
    unknown: build
  },
  { programs: 'ember', files: ['ember-cli-build.{js,cjs,mjs}', 'testem.{js,cjs,json}'], unknown: build },
  {
    programs: 'electron-builder',
    files: ['package.json#build electron-builder.{yml,yaml,json,json5,toml,js,cjs,mjs,ts}'],
    config: '-c --config',
    unknown: build
  },
  { programs: 'electron-forge', files: ['forge.config.{js,ts,cjs,mjs} package.json#config'], unknown: build },
  {
    programs: 'electron-vite',
    files: ['electron.vite.config.{js,ts,mjs,cjs,mts,cts}'],
    config: '-c --config',
    unknown: build
  },
  {
    programs: 'wrangler',
    files: ['wrangler.{json,jsonc,toml}'],
    search: 'nearest',
    config: '-c --config',
    unknown: build
  },
  { programs: 'serverless sls', files: ['serverless.{yml,yaml,json,js,ts}'], config: '-c --config', unknown: build },
  { programs: 'cdk', files: ['cdk.json'], unknown: build },

  // Tasks of monorepos, releases and data bases.
  { programs: 'turbo', files: ['turbo.{json,jsonc}'], search: 'nearest', unknown: UNKNOWN.workspaces },
  { programs: 'nx', files: ['nx.json', 'project.json'], search: 'nearest', unknown: UNKNOWN.workspaces },
  { programs: 'lerna', files: ['lerna.json'], search: 'nearest', unknown: UNKNOWN.workspaces },
  { programs: 'moon wsrun ultra', files: ['moon.yml'], unknown: UNKNOWN.workspaces },
  {
    programs: 'semantic-release',
    files: ['package.json#release .releaserc .releaserc.{yaml,yml,json,js,cjs,mjs} release.config.{js,cjs,mjs}'],
    search: 'nearest',
    loads: '-e --extends -p --plugins',
    unknown: plugins
  },
  {
    programs: 'release-it',
    files: ['.release-it.{json,js,cjs,ts,yaml,yml,toml} package.json#release-it'],
    config: '-c --config',
    unknown: plugins
  },
  { programs: 'plop', files: ['plopfile.{js,ts,mjs,cjs}'], search: 'nearest', config: '--plopfile', unknown: plugins },
  {
    programs: 'prisma',
    files: ['prisma.config.{ts,mts,cts,js,mjs,cjs}', 'package.json#prisma'],
    config: '--config',
    unknown: plugins
  },
  { programs: 'drizzle-kit', files: ['drizzle.config.{ts,js,json,mjs,cjs}'], config: '--config', unknown: plugins },
  { programs: 'knex', files: ['knexfile.{js,ts,cjs,mjs}'], search: 'nearest', config: '--knexfile', unknown: plugins },
  { programs: 'sequelize sequelize-cli', files: ['.sequelizerc'], config: '--options-path', unknown: plugins },
  { programs: 'typeorm', loads: '-d --dataSource', unknown: plugins },
  {
    programs: 'graphql-codegen',
    files: ['codegen.{ts,mts,cts,yml,yaml,json,js,cjs,mjs}'],
    config: '-c --config',
    unknown: plugins
  },
  {
    programs: 'typedoc',
    files: ['typedoc.{json,jsonc,config.js,config.cjs,config.mjs,js,cjs,mjs}'],
    config: '--options',
    loads: '--plugin',
    unknown: plugins
  },
  {
    programs: 'pm2',
    files: ['ecosystem.config.{js,cjs,mjs}'],
    subcommands: 'start restart reload',
    operands: 'replace',
    unknown: UNKNOWN.scripts
  },
  {
    programs: 'husky',
    files: ['.husky/pre-commit', '.husky/commit-msg', '.husky/pre-push', '.husky/prepare-commit-msg']
  }
]
