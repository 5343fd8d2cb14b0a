// Bundlers, compilers and frameworks of JavaScript projects, and their tasks.
import { UNKNOWN } from '../executed/source-finder.ts'
import type { ProgramFacts } from './program.ts'
import {
  BUILD,
  CONFIGURED_BUILD,
  CONFIGURED_PLUGINS,
  NEAREST_BUILD,
  NEAREST_PLUGINS,
  PLUGINS,
  tool,
  tools
} from './tools.ts'

const { build } = UNKNOWN

export const JAVASCRIPT_BUILDS: readonly ProgramFacts[] = [
  tool(
    'next',
    {
      files: ['next.config.{js,mjs,ts,mts}'],
      operandFolder: true,
      subcommands: 'build dev start lint export',
      uses: 'postcss babel',
      unknown: build
    },
    { files: ['next.config.{js,mjs,ts,mts}'], subcommands: 'info telemetry' }
  ),
  tool('turbo', { files: ['turbo.{json,jsonc}'], search: 'nearest', unknown: UNKNOWN.workspaces }),
  tool('nx', { files: ['nx.json', 'project.json'], search: 'nearest', unknown: UNKNOWN.workspaces }),
  {
    ...tool('lerna', { files: ['lerna.json'], search: 'nearest', unknown: UNKNOWN.workspaces }),
    wraps: [{ subcommands: 'exec' }]
  },
  tool('moon wsrun ultra', { files: ['moon.yml'], unknown: UNKNOWN.workspaces }),
  tool('pm2', {
    files: ['ecosystem.config.{js,cjs,mjs}'],
    subcommands: 'start restart reload',
    operands: 'replace',
    unknown: UNKNOWN.scripts
  }),
  {
    ...tool('husky', {
      files: ['.husky/pre-commit', '.husky/commit-msg', '.husky/pre-push', '.husky/prepare-commit-msg']
    }),
    wraps: [{ subcommands: 'run' }]
  },
  ...tools(CONFIGURED_BUILD, {
    'webpack webpack-dev-server': {
      files: ['{webpack.config,.webpack/webpack.config,.webpack/webpackfile}.{js,mjs,cjs,ts,mts,cts}'],
      uses: 'babel postcss'
    },
    rspack: { files: ['rspack.config.{js,ts,mjs,mts,cjs,cts}'], uses: 'postcss' },
    rsbuild: { files: ['rsbuild.config.{mjs,ts,js,cjs,mts,cts}'], uses: 'postcss' },
    rollup: { files: ['rollup.config.{mjs,cjs,ts,js}'], loads: '-p --plugin --configPlugin' },
    rolldown: { files: ['rolldown.config.{js,mjs,cjs,ts,mts,cts}'] },
    vite: { files: ['vite.config.{js,mjs,ts,cjs,mts,cts}'], uses: 'postcss' },
    'vite-node': { files: ['vite.config.{js,mjs,ts,cjs,mts,cts}'], operands: 'replace' },
    tsdown: { files: ['tsdown.config.{ts,mts,cts,js,mjs,cjs,json} package.json#tsdown'] },
    'electron-builder': { files: ['package.json#build electron-builder.{yml,yaml,json,json5,toml,js,cjs,mjs,ts}'] },
    'electron-vite': { files: ['electron.vite.config.{js,ts,mjs,cjs,mts,cts}'] },
    'serverless sls': { files: ['serverless.{yml,yaml,json,js,ts}'] }
  }),
  ...tools(BUILD, {
    tsup: { files: ['tsup.config.{ts,cts,mts,js,mjs,cjs,json} package.json#tsup'], config: '--config' },
    unbuild: { files: ['build.config.{js,cjs,mjs,ts,mts,cts,json} package.json#unbuild package.json#build'] },
    'nuxt nuxi': { files: ['nuxt.config.{ts,js,mjs,cjs,mts,cts}', '.nuxtrc'], uses: 'postcss' },
    astro: { files: ['astro.config.{mjs,js,ts,mts,cjs,cts}'], config: '--config', folder: '--root', uses: 'postcss' },
    'svelte-kit svelte-check': { files: ['svelte.config.{js,ts,mjs}', 'vite.config.{js,mjs,ts,cjs,mts,cts}'] },
    remix: { files: ['remix.config.{js,mjs,cjs}', 'vite.config.{js,mjs,ts,mts}'] },
    'react-router': { files: ['react-router.config.{ts,js}', 'vite.config.{js,mjs,ts,mts}'] },
    gatsby: {
      files: ['gatsby-config.{js,ts,mjs}', 'gatsby-node.{js,ts,mjs}', 'gatsby-browser.{js,tsx}', 'gatsby-ssr.{js,tsx}']
    },
    docusaurus: { files: ['docusaurus.config.{ts,mts,cts,js,mjs,cjs}', 'sidebars.{ts,js}'], config: '--config' },
    'vuepress vitepress': {
      files: ['.vitepress/config.{js,ts,mjs,mts}', 'docs/.vitepress/config.{js,ts,mjs,mts}', '.vuepress/config.{js,ts}']
    },
    eleventy: { files: ['.eleventy.js eleventy.config.{js,mjs,cjs}'], config: '--config' },
    'vue-cli-service': { files: ['vue.config.{js,cjs,mjs,ts}'], uses: 'babel postcss' },
    'react-scripts craco': { files: ['craco.config.{js,ts,cjs} package.json#jest'] },
    'storybook start-storybook build-storybook sb': {
      files: ['.storybook/main.{ts,js,mjs,cjs,mts,cts}', '.storybook/preview.{ts,tsx,js,jsx}'],
      valued: '-p --port -c --config-dir'
    },
    'react-native metro': {
      files: ['metro.config.{js,cjs,mjs,json,ts}', 'react-native.config.{js,cjs,mjs,ts}'],
      config: '--config',
      uses: 'babel'
    },
    'expo eas': { files: ['app.config.{ts,js} app.json', 'metro.config.{js,cjs,mjs,ts}'], uses: 'babel' },
    ember: { files: ['ember-cli-build.{js,cjs,mjs}', 'testem.{js,cjs,json}'] },
    'electron-forge': { files: ['forge.config.{js,ts,cjs,mjs} package.json#config'] },
    cdk: { files: ['cdk.json'] }
  }),
  ...tools(NEAREST_BUILD, {
    parcel: { files: ['.parcelrc'], config: '--config', uses: 'babel postcss' },
    gulp: {
      files: ['gulpfile.{js,ts,mjs,cjs,babel.js,esm.js} Gulpfile.{js,ts}'],
      config: '-f --gulpfile',
      loads: '--require',
      folder: '--cwd'
    },
    grunt: {
      files: ['Gruntfile.{js,cjs,coffee} gruntfile.{js,cjs,coffee}'],
      config: '--gruntfile',
      loads: '--require',
      folder: '--base'
    },
    jake: { files: ['Jakefile Jakefile.{js,cjs,ts}'], config: '-f --jakefile' },
    ng: { files: ['angular.json .angular.json'] }
  }),
  ...tools(NEAREST_PLUGINS, {
    'babel babel-node': {
      files: [
        'babel.config.{js,cjs,mjs,json,cts,ts,mts}',
        '.babelrc .babelrc.{js,cjs,mjs,json,cts} package.json#babel'
      ],
      config: '--config-file',
      loads: '--plugins --presets'
    },
    postcss: {
      files: [
        'package.json#postcss .postcssrc .postcssrc.{json,yaml,yml,ts,cts,mts,js,cjs,mjs} postcss.config.{ts,cts,mts,js,cjs,mjs,json}',
        'tailwind.config.{js,cjs,mjs,ts,cts,mts}'
      ],
      config: '--config',
      loads: '-u --use'
    },
    'semantic-release': {
      files: ['package.json#release .releaserc .releaserc.{yaml,yml,json,js,cjs,mjs} release.config.{js,cjs,mjs}'],
      loads: '-e --extends -p --plugins'
    },
    plop: { files: ['plopfile.{js,ts,mjs,cjs}'], config: '--plopfile' },
    knex: { files: ['knexfile.{js,ts,cjs,mjs}'], config: '--knexfile' }
  }),
  ...tools(CONFIGURED_PLUGINS, {
    'tailwindcss tailwind': { files: ['tailwind.config.{js,cjs,mjs,ts,cts,mts}'], loads: '--postcss' },
    'release-it': { files: ['.release-it.{json,js,cjs,ts,yaml,yml,toml} package.json#release-it'] },
    'graphql-codegen': { files: ['codegen.{ts,mts,cts,yml,yaml,json,js,cjs,mjs}'] }
  }),
  ...tools(PLUGINS, {
    prisma: { files: ['prisma.config.{ts,mts,cts,js,mjs,cjs}', 'package.json#prisma'], config: '--config' },
    'drizzle-kit': { files: ['drizzle.config.{ts,js,json,mjs,cjs}'], config: '--config' },
    'sequelize sequelize-cli': { files: ['.sequelizerc'], config: '--options-path' },
    typeorm: { loads: '-d --dataSource' },
    typedoc: {
      files: ['typedoc.{json,jsonc,config.js,config.cjs,config.mjs,js,cjs,mjs}'],
      config: '--options',
      loads: '--plugin'
    }
  })
]
