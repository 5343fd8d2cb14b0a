// Tools of projects in Ruby and PHP.
import { checker } from '../commands/builders.ts'
import { composer } from '../executed/composer-scripts.ts'
import { UNKNOWN } from '../executed/source-finder.ts'
import type { ProgramFacts } from './program.ts'
import { PLUGINS, SCRIPTS, tool, tools } from './tools.ts'

const { plugins, tests, packages } = UNKNOWN

export const RUBY_AND_PHP: readonly ProgramFacts[] = [
  checker(
    'rspec',
    '-b -e: -t: --fail-fast? --example= --tag= --color --no-color --order= --seed= --dry-run --backtrace ' +
      '--only-failures --next-failure --profile?',
    {
      files: ['.rspec', '.rspec-local', 'spec/spec_helper.rb', 'spec/rails_helper.rb'],
      config: '-O --options',
      loads: '-r --require',
      unknown: tests
    }
  ),
  tool('rubocop standardrb', {
    files: ['.rubocop.yml .config/.rubocop.yml', '.standard.yml'],
    search: 'nearest',
    config: '-c --config',
    loads: '-r --require',
    unknown: plugins
  }),
  tool('pod', { subcommands: 'install update', files: ['Podfile'], unknown: packages }),
  {
    names: 'gem',
    outward: { packages: 'install uninstall update fetch', publishes: 'push yank signin signout' },
    listings: ['list', 'env', 'which', 'contents'],
    configuration: [{ subcommands: 'build', operands: 'replace' }]
  },
  {
    names: 'bundle',
    outward: { packages: 'install add update remove outdated', installsByDefault: true },
    listings: ['list', 'show', 'info'],
    wraps: [{ subcommands: 'exec', files: 'Gemfile' }],
    configuration: [{ files: ['Gemfile gems.rb'], search: 'nearest', config: '--gemfile', unknown: packages }]
  },
  { names: 'bundler', executesLike: 'bundle' },
  checker(
    'phpunit',
    '-v --filter= --testsuite= --group= --exclude-group= --stop-on-failure --colors? --testdox --no-coverage --verbose',
    {
      files: ['phpunit.xml phpunit.dist.xml phpunit.xml.dist', 'tests/Pest.php', 'tests/bootstrap.php'],
      config: '-c --configuration',
      loads: '--bootstrap',
      unknown: tests
    }
  ),
  { names: 'paratest pest', executesLike: 'phpunit' },
  tool('psalm', { files: ['psalm.xml psalm.xml.dist'], config: '-c --config', unknown: plugins }),
  tool('phpcs phpcbf', {
    files: ['.phpcs.xml phpcs.xml .phpcs.xml.dist phpcs.xml.dist'],
    search: 'nearest',
    loads: '--standard --bootstrap',
    unknown: plugins
  }),
  tool('rector', { files: ['rector.php'], config: '-c --config', loads: '-a --autoload-file', unknown: plugins }),
  tool('codecept', { files: ['codeception.{yml,dist.yml}'], config: '-c --config', unknown: tests }),
  {
    names: 'composer',
    outward: { packages: 'install require update remove global create-project self-update' },
    listings: ['show', 'licenses', 'depends', 'why'],
    find: composer
  },
  { names: 'composer.phar', executesLike: 'composer' },
  ...tools(SCRIPTS, {
    rails: { files: ['bin/rails', 'config/boot.rb', 'config/application.rb', 'config/environment.rb', 'Rakefile'] },
    cap: { files: ['Capfile', 'config/deploy.rb'] },
    thor: { files: ['Thorfile'] },
    'rackup puma': { files: ['config.ru', 'config/puma.rb'], config: '-C --config' },
    fastlane: { files: ['fastlane/Fastfile Fastfile .fastlane/Fastfile'] },
    'artisan dep robo castor': { files: ['deploy.php', 'RoboFile.php', 'castor.php'] }
  }),
  ...tools(PLUGINS, {
    guard: { files: ['Guardfile'], config: '-G --guardfile' },
    jekyll: { files: ['_config.{yml,yaml,toml}', 'Gemfile'] },
    phpstan: {
      files: ['.phpstan.neon phpstan.neon .phpstan.neon.dist phpstan.neon.dist .phpstan.dist.neon phpstan.dist.neon'],
      config: '-c --configuration',
      loads: '-a --autoload-file',
      valued: '-l --level'
    },
    'php-cs-fixer': { files: ['.php-cs-fixer.php .php-cs-fixer.dist.php'], config: '--config' }
  })
]
