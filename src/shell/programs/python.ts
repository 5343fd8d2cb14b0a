// Package managers, test runners and checkers of Python projects.
import { checker, fetcher, version } from '../commands/builders.ts'
import { pip } from '../executed/build-tools.ts'
import { UNKNOWN } from '../executed/source-finder.ts'
import type { Configuration, ProgramFacts, WrappedOptions } from './program.ts'
import { SCRIPTS, tool, tools } from './tools.ts'

const { plugins, tests, build } = UNKNOWN
const PYTEST_CONFIGURATION =
  'pytest.toml .pytest.toml pytest.ini .pytest.ini pyproject.toml#[tool.pytest tox.ini#[pytest setup.cfg#[tool:pytest'
const UNITTEST: Configuration = { files: ['unittest.cfg nose2.cfg'], unknown: tests }
const PROJECT: Configuration = {
  subcommands: 'install build sync develop test',
  files: ['pyproject.toml', 'build.py', 'setup.py'],
  search: 'nearest',
  unknown: UNKNOWN.packages
}
const PIP = {
  classify: version('--version'),
  outward: { packages: 'install download uninstall wheel index search config cache' },
  listings: ['list', 'show', 'freeze', 'check', 'help']
} as const
const ENVIRONMENT: readonly WrappedOptions[] = [{ subcommands: 'run', valued: '-n --name -p --prefix --cwd' }]

/** Programs that also run as `python -m`. */
const asModules = (...programs: readonly ProgramFacts[]): ProgramFacts[] =>
  programs.map(program => ({ ...program, pythonModule: true }))

export const PYTHON_PROGRAMS: readonly ProgramFacts[] = [
  ...asModules(
    checker(
      'pytest',
      '-qvsxl -k: -m: -n: -r: --verbose --quiet --exitfirst --maxfail= --tb= --lf --last-failed --ff --failed-first --sw ' +
        '--stepwise --durations= --co --collect-only --no-header --no-summary --color= --capture= --showlocals --cov? ' +
        '--cov-report= --no-cov --strict-markers --disable-warnings --markers --fixtures --junit-xml> --junitxml> ' +
        '--deselect= --ignore= --cache-clear --override-ini=junit_family=xunit1',
      {
        files: [PYTEST_CONFIGURATION],
        search: 'nearest',
        config: '-c --config-file',
        valued:
          '-k -m -n -p -o --rootdir --confcutdir --maxfail --durations --cov --cov-report --tb --ignore --junitxml -W',
        besideOperands: 'conftest.py',
        uses: 'pytest-conftest',
        unknown: tests
      }
    ),
    tool('unittest', UNITTEST),
    tool('tox', {
      files: ['tox.ini setup.cfg#[tox:tox pyproject.toml#[tool.tox tox.toml', 'toxfile.py'],
      search: 'nearest',
      config: '-c --conf',
      uses: 'pip-project',
      unknown: tests
    }),
    tool('nox', { files: ['noxfile.py'], config: '-f --noxfile', unknown: tests }),
    {
      ...tool('coverage', {
        files: ['.coveragerc setup.cfg#[coverage: tox.ini#[coverage: pyproject.toml#[tool.coverage'],
        config: '--rcfile'
      }),
      wraps: [
        {
          subcommands: 'run',
          valued: '--source --rcfile --include --omit --data-file --context -m',
          interpreter: 'python'
        }
      ]
    },
    checker(
      'mypy',
      '-vi -p: -m: --strict --ignore-missing-imports --no-incremental --pretty --show-error-codes --show-error-context ' +
        '--check-untyped-defs --follow-imports= --python-version= --exclude= --verbose --package= --module= ' +
        '--no-error-summary --warn-unused-ignores',
      {
        files: ['mypy.ini .mypy.ini pyproject.toml#[tool.mypy setup.cfg#[mypy'],
        search: 'nearest',
        config: '--config-file',
        unknown: plugins
      }
    ),
    checker('pylint', '-E -d: -e: -j: -r: -s: --errors-only --disable= --enable= --jobs= --recursive= --score=', {
      files: [
        'pylintrc pylintrc.toml .pylintrc .pylintrc.toml pyproject.toml#[tool.pylint setup.cfg#[pylint tox.ini#[pylint'
      ],
      search: 'nearest',
      config: '--rcfile',
      valued: '-d -e -j -f --disable --enable --load-plugins',
      unknown: plugins
    }),
    checker(
      'flake8',
      '-qv --count --statistics --show-source --max-line-length= --max-complexity= --select= --ignore= --extend-ignore= ' +
        '--exclude= --exit-zero',
      {
        files: ['setup.cfg#[flake8 tox.ini#[flake8 .flake8'],
        config: '--config',
        loads: '--append-config',
        unknown: plugins
      }
    ),
    tool('invoke', {
      files: ['tasks.py tasks/__init__.py', 'invoke.{yaml,yml,json,py}'],
      search: 'nearest',
      valued: '-c --collection',
      folder: '-r --search-root',
      unknown: UNKNOWN.scripts
    }),
    tool('sphinx', {
      files: ['conf.py'],
      folder: '-c',
      operandFolder: true,
      valued: '-b -d -D -A -j -w -t',
      unknown: plugins
    }),
    tool('mkdocs', { files: ['mkdocs.{yml,yaml}'], config: '-f --config-file', unknown: plugins }),
    tool('alembic', {
      files: ['alembic.ini', '{alembic,migrations}/env.py'],
      config: '-c --config',
      unknown: UNKNOWN.scripts
    }),
    tool('build', { files: ['setup.py', 'setup.cfg', 'pyproject.toml'], operandFolder: true, unknown: build }),
    { names: 'pip', ...PIP, find: pip }
  ),
  { names: 'py.test', executesLike: 'pytest' },
  tool(
    'pytest-conftest',
    { files: ['conftest.py'], search: 'all' },
    { files: ['tests/conftest.py', 'test/conftest.py'] }
  ),
  tool('nose2 trial', UNITTEST),
  tool('behave', {
    files: ['behave.ini .behaverc tox.ini#[behave setup.cfg#[behave', 'features/environment.py'],
    unknown: tests
  }),
  { names: 'dmypy stubtest', executesLike: 'mypy' },
  { names: 'epylint', executesLike: 'pylint' },
  tool('bandit', { files: ['.bandit'], config: '--ini', loads: '-c --configfile' }),
  checker('isort', '-cqv --check --check-only --diff --quiet --verbose --profile= --atomic', {
    files: ['.isort.cfg pyproject.toml#[tool.isort setup.cfg#[isort tox.ini#[isort'],
    search: 'nearest',
    config: '--settings-path --settings-file'
  }),
  tool('pre-commit prek', {
    subcommands: 'run try-repo',
    files: ['.pre-commit-config.yaml'],
    search: 'nearest',
    config: '-c --config',
    unknown: 'Not shown: hooks from other repositories.'
  }),
  { names: 'inv', executesLike: 'invoke' },
  tool('fab', { files: ['fabfile.py fabfile/__init__.py'], search: 'nearest', unknown: UNKNOWN.scripts }),
  { names: 'sphinx-build', executesLike: 'sphinx' },
  tool('gunicorn', { files: ['gunicorn.conf.py'], config: '-c --config', unknown: UNKNOWN.scripts }),
  tool('pip-project', { files: ['setup.py', 'setup.cfg', 'pyproject.toml'] }),
  { names: 'pyproject-build', executesLike: 'build' },
  checker(
    'ruff',
    '-qvsenw --fix --unsafe-fixes --no-fix --diff --check --quiet --verbose --watch --statistics --show-fixes --select= ' +
      '--ignore= --extend-select= --exclude= --output-format= --line-length= --target-version= --preview --no-cache ' +
      '--exit-zero'
  ),
  checker(
    'black',
    '-qvS -l: -t: --check --diff --color --no-color --quiet --verbose --line-length= --target-version= --preview --fast ' +
      '--safe --skip-string-normalization --exclude= --include='
  ),
  { names: 'pip3', ...PIP },
  { names: 'pipx', outward: 'packages', find: pip },
  { names: 'conda', outward: 'packages', listings: ['list', 'info'], wraps: ENVIRONMENT },
  { names: 'mamba', outward: 'packages', wraps: ENVIRONMENT },
  { names: 'micromamba', wraps: ENVIRONMENT },
  {
    names: 'uv',
    classify: version('--version'),
    outward: { packages: 'add remove sync lock tool python cache self', publishes: 'publish' },
    listings: ['tree', 'pip list', 'pip show', 'pip freeze', 'version', 'python list'],
    wraps: [
      {
        subcommands: 'run',
        valued:
          '--with --python -p --extra --group --only-group --no-group --env-file --project --directory --package --with-requirements --with-editable --index -m --module',
        interpreter: 'python'
      }
    ],
    configuration: [
      {
        subcommands: 'sync build run pip+install',
        files: ['pyproject.toml', 'setup.py', 'setup.cfg'],
        search: 'nearest',
        folder: '--directory --project',
        unknown: UNKNOWN.packages
      }
    ]
  },
  { names: 'uvx', classify: fetcher, wraps: [{ valued: '--from --with --python -p', skip: 0 }] },
  {
    names: 'poetry',
    outward: { packages: 'install add remove update lock self source config', publishes: 'publish' },
    listings: ['show', 'env list', 'version', 'check'],
    wraps: [{ subcommands: 'run', valued: '-C --directory -P --project', files: 'pyproject.toml' }],
    configuration: [PROJECT]
  },
  {
    names: 'pdm',
    outward: { packages: 'install add remove update lock sync', publishes: 'publish' },
    wraps: [{ subcommands: 'run', valued: '-p --project', files: 'pyproject.toml' }],
    configuration: [PROJECT]
  },
  {
    names: 'hatch',
    wraps: [{ subcommands: 'run', valued: '-e --env', files: 'hatch.toml pyproject.toml' }],
    configuration: [
      PROJECT,
      { subcommands: 'run test build', files: ['hatch.toml', 'hatch_build.py'], search: 'nearest' }
    ]
  },
  { names: 'rye', wraps: [{ subcommands: 'run', files: 'pyproject.toml' }], configuration: [PROJECT] },
  tool('flit maturin', PROJECT),
  { names: 'pixi', wraps: [{ subcommands: 'run', valued: '-e --environment', files: 'pixi.toml pyproject.toml' }] },
  { names: 'poe taskipy', wraps: [{ files: 'pyproject.toml' }] },
  {
    names: 'pipenv',
    outward: { packages: 'install uninstall update lock sync' },
    wraps: [{ subcommands: 'run', files: 'Pipfile' }]
  },
  ...tools(SCRIPTS, {
    flask: { files: ['.flaskenv', 'wsgi.py app.py'] },
    'django-admin': { files: ['manage.py'] },
    locust: { files: ['locustfile.py'], config: '-f --locustfile' }
  })
]
