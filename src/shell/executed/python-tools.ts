// Tools of Python projects whose configuration is code, or names code that they load.
import type { ConfiguredTool } from './configured-tools.ts'
import { UNKNOWN } from './source-finder.ts'

const { plugins, tests, build } = UNKNOWN
const PYTEST_CONFIGURATION =
  'pytest.toml .pytest.toml pytest.ini .pytest.ini pyproject.toml#[tool.pytest tox.ini#[pytest setup.cfg#[tool:pytest'

export const PYTHON_TOOLS: readonly ConfiguredTool[] = [
  {
    programs: 'pytest py.test',
    files: [PYTEST_CONFIGURATION],
    search: 'nearest',
    config: '-c --config-file',
    valued:
      '-k -m -n -p -o --rootdir --confcutdir --maxfail --durations --cov --cov-report --tb --ignore --junitxml -W',
    besideOperands: 'conftest.py',
    uses: 'pytest-conftest',
    unknown: tests
  },
  { programs: 'pytest-conftest', files: ['conftest.py'], search: 'all' },
  { programs: 'pytest-conftest', files: ['tests/conftest.py', 'test/conftest.py'] },
  { programs: 'unittest nose2 trial', files: ['unittest.cfg nose2.cfg'], unknown: tests },
  {
    programs: 'tox',
    files: ['tox.ini setup.cfg#[tox:tox pyproject.toml#[tool.tox tox.toml', 'toxfile.py'],
    search: 'nearest',
    config: '-c --conf',
    uses: 'pip-project',
    unknown: tests
  },
  { programs: 'nox', files: ['noxfile.py'], config: '-f --noxfile', unknown: tests },
  {
    programs: 'behave',
    files: ['behave.ini .behaverc tox.ini#[behave setup.cfg#[behave', 'features/environment.py'],
    unknown: tests
  },
  {
    programs: 'coverage',
    files: ['.coveragerc setup.cfg#[coverage: tox.ini#[coverage: pyproject.toml#[tool.coverage'],
    config: '--rcfile'
  },
  {
    programs: 'mypy dmypy stubtest',
    files: ['mypy.ini .mypy.ini pyproject.toml#[tool.mypy setup.cfg#[mypy'],
    search: 'nearest',
    config: '--config-file',
    unknown: plugins
  },
  {
    programs: 'pylint epylint',
    files: [
      'pylintrc pylintrc.toml .pylintrc .pylintrc.toml pyproject.toml#[tool.pylint setup.cfg#[pylint tox.ini#[pylint'
    ],
    search: 'nearest',
    config: '--rcfile',
    valued: '-d -e -j -f --disable --enable --load-plugins',
    unknown: plugins
  },
  {
    programs: 'flake8',
    files: ['setup.cfg#[flake8 tox.ini#[flake8 .flake8'],
    config: '--config',
    loads: '--append-config',
    unknown: plugins
  },
  { programs: 'bandit', files: ['.bandit'], config: '--ini', loads: '-c --configfile' },
  {
    programs: 'isort',
    files: ['.isort.cfg pyproject.toml#[tool.isort setup.cfg#[isort tox.ini#[isort'],
    search: 'nearest',
    config: '--settings-path --settings-file'
  },
  {
    programs: 'pre-commit prek',
    subcommands: 'run try-repo',
    files: ['.pre-commit-config.yaml'],
    search: 'nearest',
    config: '-c --config',
    unknown: 'Hooks of other repositories are not listed.'
  },
  {
    programs: 'invoke inv',
    files: ['tasks.py tasks/__init__.py', 'invoke.{yaml,yml,json,py}'],
    search: 'nearest',
    valued: '-c --collection',
    folder: '-r --search-root',
    unknown: UNKNOWN.scripts
  },
  { programs: 'fab', files: ['fabfile.py fabfile/__init__.py'], search: 'nearest', unknown: UNKNOWN.scripts },
  {
    programs: 'sphinx-build sphinx',
    files: ['conf.py'],
    folder: '-c',
    operandFolder: true,
    valued: '-b -d -D -A -j -w -t',
    unknown: plugins
  },
  { programs: 'mkdocs', files: ['mkdocs.{yml,yaml}'], config: '-f --config-file', unknown: plugins },
  {
    programs: 'alembic',
    files: ['alembic.ini', '{alembic,migrations}/env.py'],
    config: '-c --config',
    unknown: UNKNOWN.scripts
  },
  { programs: 'flask', files: ['.flaskenv', 'wsgi.py app.py'], unknown: UNKNOWN.scripts },
  { programs: 'django-admin', files: ['manage.py'], unknown: UNKNOWN.scripts },
  { programs: 'gunicorn', files: ['gunicorn.conf.py'], config: '-c --config', unknown: UNKNOWN.scripts },
  { programs: 'locust', files: ['locustfile.py'], config: '-f --locustfile', unknown: UNKNOWN.scripts },
  // Building a project executes its build script.
  { programs: 'pip-project', files: ['setup.py', 'setup.cfg', 'pyproject.toml'] },
  {
    programs: 'build pyproject-build',
    files: ['setup.py', 'setup.cfg', 'pyproject.toml'],
    operandFolder: true,
    unknown: build
  },
  {
    programs: 'uv',
    subcommands: 'sync build run pip+install',
    files: ['pyproject.toml', 'setup.py', 'setup.cfg'],
    search: 'nearest',
    folder: '--directory --project',
    unknown: UNKNOWN.packages
  },
  {
    programs: 'poetry pdm hatch rye flit maturin',
    subcommands: 'install build sync develop test',
    files: ['pyproject.toml', 'build.py', 'setup.py'],
    search: 'nearest',
    unknown: UNKNOWN.packages
  },
  { programs: 'hatch', subcommands: 'run test build', files: ['hatch.toml', 'hatch_build.py'], search: 'nearest' }
]
