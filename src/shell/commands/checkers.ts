// Checkers, formatters and test runners, with the flags that run no code beyond what the workspace configures.

export const CHECKERS: Readonly<Record<string, string>> = {
  pytest:
    '-qvsxl -k: -m: -n: -r: --verbose --quiet --exitfirst --maxfail= --tb= --lf --last-failed --ff --failed-first --sw ' +
    '--stepwise --durations= --co --collect-only --no-header --no-summary --color= --capture= --showlocals --cov? ' +
    '--cov-report= --no-cov --strict-markers --disable-warnings --markers --fixtures --junit-xml> --junitxml> ' +
    '--deselect= --ignore= --cache-clear --override-ini=junit_family=xunit1',
  // It executes nothing that its configuration names.
  tsc:
    '-bwdv -p: --project= --noEmit --watch --strict --pretty --skipLibCheck --incremental --listFiles --listFilesOnly ' +
    '--diagnostics --extendedDiagnostics --showConfig --target= --module= --lib= --jsx= --declaration --sourceMap --build ' +
    '--verbose --force --dry --clean',
  eslint:
    '--fix --fix-dry-run --quiet --max-warnings= --ext= --cache --no-error-on-unmatched-pattern --color --no-color ' +
    '--debug --report-unused-disable-directives --ignore-pattern= --no-ignore --no-inline-config --stats',
  prettier:
    '-clwu --check --write --list-different --ignore-unknown --color --no-color --log-level= --cache ' +
    '--no-error-on-unmatched-pattern --single-quote --tab-width= --print-width= --use-tabs --no-semi --trailing-comma= ' +
    '--no-config --no-editorconfig',
  biome:
    '--write --unsafe --fix --apply --staged --changed --since= --error-on-warnings --max-diagnostics= ' +
    '--diagnostic-level= --colors= --verbose --no-errors-on-unmatched --only= --skip= --reporter=',
  ruff:
    '-qvsenw --fix --unsafe-fixes --no-fix --diff --check --quiet --verbose --watch --statistics --show-fixes --select= ' +
    '--ignore= --extend-select= --exclude= --output-format= --line-length= --target-version= --preview --no-cache ' +
    '--exit-zero',
  black:
    '-qvS -l: -t: --check --diff --color --no-color --quiet --verbose --line-length= --target-version= --preview --fast ' +
    '--safe --skip-string-normalization --exclude= --include=',
  mypy:
    '-vi -p: -m: --strict --ignore-missing-imports --no-incremental --pretty --show-error-codes --show-error-context ' +
    '--check-untyped-defs --follow-imports= --python-version= --exclude= --verbose --package= --module= ' +
    '--no-error-summary --warn-unused-ignores',
  flake8:
    '-qv --count --statistics --show-source --max-line-length= --max-complexity= --select= --ignore= --extend-ignore= ' +
    '--exclude= --exit-zero',
  pylint: '-E -d: -e: -j: -r: -s: --errors-only --disable= --enable= --jobs= --recursive= --score=',
  isort: '-cqv --check --check-only --diff --quiet --verbose --profile= --atomic',
  jest:
    '-ibou -t: -w: --bail? --ci --coverage --no-coverage --runInBand --maxWorkers= --testNamePattern= --testPathPattern= ' +
    '--testPathPatterns= --verbose --silent --updateSnapshot --onlyChanged --watch --watchAll? --passWithNoTests ' +
    '--listTests --detectOpenHandles --forceExit --json --findRelatedTests --colors --no-cache --changedSince= ' +
    '--testLocationInResults --runTestsByPath',
  vitest:
    '-u -t: --run --watch --coverage --no-coverage --testNamePattern= --bail= --update --silent --passWithNoTests ' +
    '--changed? --no-color --typecheck --hideSkippedTests --maxWorkers= --allowOnly --retry= --shard= ' +
    '--reporter=default --reporter=verbose --reporter=dot --reporter=json --reporter=junit --reporter=tap',
  mocha:
    '-bw -g: -f: -t: --grep= --fgrep= --bail --timeout= --invert --parallel --jobs= --retries= --exit --recursive ' +
    '--check-leaks --forbid-only --forbid-pending --dry-run --watch --colors --no-colors --slow=',
  tap:
    '-b -j: -g: -t: --bail --jobs= --timeout= --grep= --only --disable-coverage --allow-empty-coverage ' +
    '--allow-incomplete-coverage --show-full-coverage --snapshot --changed --color --no-color ' +
    '--reporter=base --reporter=terse --reporter=tap',
  gofmt: '-lwdse -r:',
  rustfmt: '-lv --check --edition= --quiet --verbose --emit=',
  'clang-format': '-in --dry-run --Werror --verbose',
  ctest:
    '-VQN -R: -E: -L: -j: -C: --output-on-failure --verbose --parallel --stop-on-failure --rerun-failed --show-only? ' +
    '--timeout= --repeat= --tests-regex=',
  phpunit:
    '-v --filter= --testsuite= --group= --exclude-group= --stop-on-failure --colors? --testdox --no-coverage --verbose',
  rspec:
    '-b -e: -t: --fail-fast? --example= --tag= --color --no-color --order= --seed= --dry-run --backtrace ' +
    '--only-failures --next-failure --profile?'
}
