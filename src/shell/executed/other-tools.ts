// Tools of further ecosystems whose configuration is code, or names code that they load.
import type { ConfiguredTool } from './configured-tools.ts'
import { UNKNOWN } from './source-finder.ts'

const { plugins, tests, build, packages, images } = UNKNOWN
const COMPOSE = [
  'compose.{yaml,yml} docker-compose.{yml,yaml}',
  'compose.override.{yml,yaml} docker-compose.override.{yml,yaml}'
]
const DOTNET = [
  'Directory.Build.props',
  'Directory.Build.targets',
  'Directory.Build.rsp',
  'Directory.Packages.props',
  'global.json'
]

export const OTHER_TOOLS: readonly ConfiguredTool[] = [
  // Ruby.
  {
    programs: 'rspec',
    files: ['.rspec', '.rspec-local', 'spec/spec_helper.rb', 'spec/rails_helper.rb'],
    config: '-O --options',
    loads: '-r --require',
    unknown: tests
  },
  {
    programs: 'rubocop standardrb',
    files: ['.rubocop.yml .config/.rubocop.yml', '.standard.yml'],
    search: 'nearest',
    config: '-c --config',
    loads: '-r --require',
    unknown: plugins
  },
  { programs: 'bundle bundler', files: ['Gemfile gems.rb'], search: 'nearest', config: '--gemfile', unknown: packages },
  {
    programs: 'rails',
    files: ['bin/rails', 'config/boot.rb', 'config/application.rb', 'config/environment.rb', 'Rakefile'],
    unknown: UNKNOWN.scripts
  },
  { programs: 'guard', files: ['Guardfile'], config: '-G --guardfile', unknown: plugins },
  { programs: 'cap', files: ['Capfile', 'config/deploy.rb'], unknown: UNKNOWN.scripts },
  { programs: 'thor', files: ['Thorfile'], unknown: UNKNOWN.scripts },
  { programs: 'rackup puma', files: ['config.ru', 'config/puma.rb'], config: '-C --config', unknown: UNKNOWN.scripts },
  { programs: 'jekyll', files: ['_config.{yml,yaml,toml}', 'Gemfile'], unknown: plugins },
  { programs: 'fastlane', files: ['fastlane/Fastfile Fastfile .fastlane/Fastfile'], unknown: UNKNOWN.scripts },
  { programs: 'pod', subcommands: 'install update', files: ['Podfile'], unknown: packages },
  { programs: 'vagrant', files: ['Vagrantfile'], search: 'nearest', unknown: UNKNOWN.scripts },
  { programs: 'gem', subcommands: 'build', operands: 'replace' },

  // PHP.
  {
    programs: 'phpunit paratest pest',
    files: ['phpunit.xml phpunit.dist.xml phpunit.xml.dist', 'tests/Pest.php', 'tests/bootstrap.php'],
    config: '-c --configuration',
    loads: '--bootstrap',
    unknown: tests
  },
  {
    programs: 'phpstan',
    files: ['.phpstan.neon phpstan.neon .phpstan.neon.dist phpstan.neon.dist .phpstan.dist.neon phpstan.dist.neon'],
    config: '-c --configuration',
    loads: '-a --autoload-file',
    valued: '-l --level',
    unknown: plugins
  },
  { programs: 'psalm', files: ['psalm.xml psalm.xml.dist'], config: '-c --config', unknown: plugins },
  {
    programs: 'php-cs-fixer',
    files: ['.php-cs-fixer.php .php-cs-fixer.dist.php'],
    config: '--config',
    unknown: plugins
  },
  {
    programs: 'phpcs phpcbf',
    files: ['.phpcs.xml phpcs.xml .phpcs.xml.dist phpcs.xml.dist'],
    search: 'nearest',
    loads: '--standard --bootstrap',
    unknown: plugins
  },
  { programs: 'rector', files: ['rector.php'], config: '-c --config', loads: '-a --autoload-file', unknown: plugins },
  { programs: 'codecept', files: ['codeception.{yml,dist.yml}'], config: '-c --config', unknown: tests },
  {
    programs: 'artisan dep robo castor',
    files: ['deploy.php', 'RoboFile.php', 'castor.php'],
    unknown: UNKNOWN.scripts
  },

  // Go, C and C++.
  { programs: 'go', subcommands: 'test', unknown: tests },
  { programs: 'go', subcommands: 'generate', unknown: 'Commands of go:generate directives are not listed.' },
  { programs: 'ginkgo gotestsum', unknown: tests },
  {
    programs: 'golangci-lint',
    subcommands: 'run fmt',
    files: ['.golangci.{yml,yaml,toml,json}', '.custom-gcl.{yml,yaml}'],
    search: 'nearest',
    config: '-c --config',
    unknown: plugins
  },
  {
    programs: 'goreleaser',
    files: ['.config/goreleaser.{yml,yaml} .goreleaser.{yml,yaml} goreleaser.{yml,yaml}'],
    config: '-f --config',
    unknown: build
  },
  { programs: 'air', files: ['.air.toml'], config: '-c' },
  { programs: 'clang-tidy', files: ['.clang-tidy'], search: 'nearest', config: '--config-file', loads: '--load -load' },
  { programs: 'ctest', files: ['CTestTestfile.cmake'], folder: '--test-dir', loads: '-S -SP', unknown: tests },

  // Containers and infrastructure.
  {
    programs: 'docker',
    subcommands: 'build buildx+build image+build',
    files: ['Dockerfile'],
    config: '-f --file',
    operandFolder: true,
    valued: '-t --tag --build-arg --target --platform -o --label --secret --cache-from',
    unknown: images
  },
  {
    programs: 'podman buildah',
    subcommands: 'build bud',
    files: ['Containerfile Dockerfile'],
    config: '-f --file',
    operandFolder: true,
    valued: '-t --tag --build-arg --target',
    unknown: images
  },
  {
    programs: 'docker',
    subcommands: 'buildx+bake',
    files: ['docker-bake.{hcl,json}', ...COMPOSE],
    config: '-f --file',
    unknown: images
  },
  {
    programs: 'docker podman',
    subcommands: 'compose',
    files: COMPOSE,
    search: 'nearest',
    config: '-f --file',
    folder: '--project-directory',
    valued: '-p --profile --env-file',
    unknown: images
  },
  {
    programs: 'docker-compose podman-compose',
    files: COMPOSE,
    search: 'nearest',
    config: '-f --file',
    folder: '--project-directory',
    valued: '-p --profile --env-file',
    unknown: images
  },
  { programs: 'tilt', files: ['Tiltfile'], config: '-f --file', unknown: images },
  { programs: 'skaffold', files: ['skaffold.{yaml,yml}'], config: '-f --filename', unknown: images },
  { programs: 'act', subcommands: 'push pull_request workflow_dispatch', unknown: images },
  {
    programs: 'terraform tofu',
    subcommands: 'apply plan destroy',
    unknown: 'Files with the infrastructure, which may run programs, are not listed.'
  },
  {
    programs: 'pulumi',
    files: ['Pulumi.{yaml,yml,json}'],
    search: 'nearest',
    folder: '-C --cwd',
    unknown: UNKNOWN.scripts
  },
  { programs: 'ansible ansible-playbook', files: ['ansible.cfg'], unknown: 'Roles and inventories are not listed.' },
  { programs: 'packer', operands: 'replace' },

  // Build tools of further languages.
  {
    programs: 'dotnet',
    subcommands: 'build run test publish pack restore clean watch msbuild',
    files: [...DOTNET, '{NuGet.Config,nuget.config,NuGet.config}'],
    search: 'nearest',
    operands: 'add',
    loads: '--project',
    valued: '-c --configuration -f --framework -o -r --runtime -v',
    unknown: build
  },
  {
    programs: 'dotnet',
    subcommands: 'tool husky cake',
    files: ['.config/dotnet-tools.json dotnet-tools.json'],
    search: 'nearest',
    unknown: packages
  },
  { programs: 'msbuild', files: DOTNET, search: 'nearest', operands: 'add', unknown: build },
  { programs: 'mix', files: ['mix.exs', 'config/config.exs', 'config/runtime.exs', '.formatter.exs'], unknown: build },
  { programs: 'mix', subcommands: 'test', files: ['test/test_helper.exs', 'config/test.exs'], unknown: tests },
  { programs: 'iex elixir', files: ['.iex.exs'] },
  { programs: 'rebar3 rebar', files: ['rebar.config', 'rebar.config.script'], unknown: build },
  {
    programs: 'stack',
    files: ['stack.yaml', 'package.yaml', 'Setup.{hs,lhs}'],
    search: 'nearest',
    config: '--stack-yaml',
    unknown: build
  },
  {
    programs: 'cabal',
    files: ['cabal.project', 'cabal.project.local', 'cabal.project.freeze', 'Setup.{hs,lhs}'],
    search: 'nearest',
    config: '--project-file',
    unknown: build
  },
  {
    programs: 'sbt',
    files: [
      'build.sbt',
      'project/build.properties',
      'project/plugins.sbt',
      'project/Build.scala',
      '.sbtopts',
      '.jvmopts'
    ],
    unknown: build
  },
  { programs: 'mill', files: ['build.{mill,mill.scala,sc}', '.mill-version'], unknown: build },
  { programs: 'lein', files: ['project.clj', 'profiles.clj'], unknown: build },
  { programs: 'clojure clj', files: ['deps.edn'], unknown: packages },
  { programs: 'bb', files: ['bb.edn'], search: 'nearest' },
  {
    programs: 'zig',
    subcommands: 'build',
    files: ['build.zig', 'build.zig.zon'],
    search: 'nearest',
    config: '--build-file',
    unknown: build
  },
  {
    programs: 'swift',
    subcommands: 'build test run package',
    files: ['Package.swift'],
    search: 'nearest',
    folder: '--package-path',
    unknown: build
  },
  {
    programs: 'flutter dart',
    subcommands: 'test run build',
    files: ['pubspec.yaml', 'build.yaml', 'dart_test.yaml'],
    search: 'nearest',
    unknown: build
  },
  { programs: 'dune', files: ['dune-project', 'dune-workspace', 'dune'], search: 'nearest', unknown: build },
  { programs: 'xmake', files: ['xmake.lua'], config: '-F --file', folder: '-P --project', unknown: build },
  { programs: 'premake5 premake4', files: ['premake5.lua premake4.lua'], config: '--file', unknown: build },
  {
    programs: 'autoreconf autoconf automake aclocal',
    files: ['configure.ac configure.in', 'Makefile.am', 'autogen.sh'],
    unknown: build
  },
  { programs: 'config.status', files: ['Makefile.in'], unknown: build },
  { programs: 'conan', files: ['conanfile.py conanfile.txt'], unknown: build },
  { programs: 'waf', files: ['wscript'], unknown: build },
  { programs: 'nimble', files: ['config.nims'], unknown: build },
  {
    programs: 'nix',
    subcommands: 'build develop run shell flake',
    files: ['flake.nix', 'flake.lock'],
    search: 'nearest',
    valued: '-c --command',
    unknown: packages
  },
  {
    programs: 'nix-shell',
    files: ['shell.nix default.nix'],
    operands: 'replace',
    valued: '-p -A -I --run --command --arg --argstr',
    unknown: packages
  },
  {
    programs: 'nix-build',
    files: ['default.nix'],
    operands: 'replace',
    valued: '-A -I -o --arg --argstr',
    unknown: packages
  },
  {
    programs: 'direnv devbox devenv',
    files: ['.envrc', 'devbox.json', 'devenv.nix'],
    search: 'nearest',
    unknown: packages
  },
  {
    programs: 'mise rtx',
    subcommands: 'run r exec x install',
    files: ['mise.local.toml', 'mise.toml .mise.toml .config/mise.toml'],
    search: 'nearest',
    unknown: packages
  },
  { programs: 'latexmk', files: ['.latexmkrc latexmkrc'], loads: '-r', unknown: build },
  {
    programs: 'lefthook',
    subcommands: 'run',
    files: [
      '{lefthook,.lefthook,.config/lefthook}.{yml,yaml,toml,json}',
      '{lefthook-local,.lefthook-local}.{yml,yaml,toml,json}'
    ],
    unknown: plugins
  },
  { programs: 'gdb', files: ['.gdbinit'] },
  { programs: 'lldb', files: ['.lldbinit'] }
]
