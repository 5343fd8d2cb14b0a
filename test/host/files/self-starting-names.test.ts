// tier: full
import fc from 'fast-check'
import t from 'tap'
import { NamePatterns } from '../../../src/host/files/policy/name-patterns.ts'
import { isSelfStarting } from '../../../src/host/files/policy/self-starting.ts'
import {
  expandBraces,
  ORDINARY_NAMES,
  SANDBOX_PROTECTED_NAMES,
  SELF_STARTING_GROUPS,
  SELF_STARTING_NAMES
} from '../../../src/host/files/policy/self-starting-names.ts'
import { GuardedNames } from '../../../src/host/sandbox/guard/guarded-names.ts'
import { startApp } from '../../start-app.ts'
import { runs } from '../../support/property.ts'

/** One or more files of every kind of program. */
const EXECUTED = `
  .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yaml .eslintrc.yml eslint.config.js eslint.config.mjs
  eslint.config.mts .prettierrc .prettierrc.js .prettierrc.json .prettierrc.toml prettier.config.mjs .stylelintrc
  .stylelintrc.yml stylelint.config.js .postcssrc.json postcss.config.js .babelrc .babelrc.js babel.config.json vite.config.ts
  vitest.config.mts vitest.workspace.ts jest.config.js jest.config.ts webpack.config.js webpackfile.js rollup.config.mjs
  rspack.config.js tailwind.config.ts metro.config.js next.config.mjs nuxt.config.ts svelte.config.js astro.config.mjs
  angular.json remix.config.js playwright.config.ts cypress.config.ts .mocharc.js .mocharc.yml ava.config.js .taprc .nycrc.json
  .c8rc.json karma.conf.js commitlint.config.js .commitlintrc .lintstagedrc.mjs .huskyrc.js .releaserc.json .release-it.json
  tsup.config.ts tsdown.config.ts gulpfile.js Gruntfile.js Jakefile knexfile.ts drizzle.config.ts prisma.config.ts
  .storybook/main.ts .pnpmfile.cjs .pnpmfile.mjs .yarnrc.yml .npmrc bunfig.toml deno.json deno.jsonc binding.gyp
  conftest.py tests/unit/conftest.py sitecustomize.py usercustomize.py x.pth .pylintrc pylintrc pylintrc.toml setup.py setup.cfg
  tox.ini pytest.ini pytest.toml noxfile.py .flake8 mypy.ini .mypy.ini .pdbrc .pythonrc .ipython/profile_default/startup/a.py .envrc
  .rubocop.yml .irbrc .pryrc .rspec .solargraph.yml Gemfile gems.rb Rakefile Guardfile .simplecov
  GNUmakefile makefile Makefile lib/Makefile justfile Taskfile.yml taskfile.dist.yaml
  compose.yaml compose.override.yaml docker-compose.override.yml .devcontainer/devcontainer.json .devcontainer.json
  Directory.Build.props Directory.Build.targets Directory.Build.rsp Directory.Packages.props NuGet.config App.csproj.user
  .config/dotnet-tools.json MSBuild.rsp global.json
  gradle.properties build.gradle build.gradle.kts settings.gradle.kts init.gradle .mvn/jvm.config .mvn/extensions.xml
  gradle/wrapper/gradle-wrapper.properties .run/x.run.xml x.run.xml .idea/workspace.xml
  build.rs crates/.cargo/config.toml rust-toolchain.toml go.work .golangci.yml .iex.exs mix.exs .formatter.exs .credo.exs
  rebar.config.script .php-cs-fixer.php .php-cs-fixer.dist.php phpstan.neon phpunit.xml rector.php psalm.xml .phpactor.json .Rprofile
  .ghci Setup.hs .luacheckrc .busted .nvim.lua .exrc .vimrc .lvimrc .vimspector.json .dir-locals.el x/.dir-locals.el .clangd .gdbinit
  .lldbinit .vscode/settings.json .zed/tasks.json x.sublime-project .helix/config.toml .nova/Tasks/x.json .mise.toml mise.toml
  mise.local.toml .tool-versions shell.nix flake.nix .pre-commit-config.yaml lefthook.yml lefthook-local.json .overcommit.yml
  .gitattributes .gitmodules .bazelrc tools/bazel CMakePresets.json CMakeUserPresets.json .github/workflows/x.yml .gitlab-ci.yml
  .circleci/config.yml azure-pipelines.yml Jenkinsfile .travis.yml Vagrantfile .terraformrc ansible.cfg netlify.toml vercel.json
  __pycache__/a.cpython-311.pyc src/__pycache__/b.pyc Makefile.sh node_modules/.bin/tsc packages/a/node_modules/.bin/tsc vendor/bin/phpunit .venv/bin/python venv/bin/pip env/bin/python
  .venv/Scripts/python.exe
  .claude/settings.json CLAUDE.md AGENTS.md sub/AGENTS.md .cursor/rules/x.mdc .cursorrules .windsurfrules .clinerules .roomodes
  .aider.conf.yml .continue/config.yaml .codex/config.toml .gemini/settings.json GEMINI.md .github/copilot-instructions.md
  .opencode/agent/x.md opencode.json opencode.jsonc crush.json .crush.json .crushrc .agents/skills/x/SKILL.md .goosehints .mcp.json mcp.json .kiro/settings/mcp.json
  .amazonq/mcp.json .junie/guidelines.md .qwen/settings.json .factory/mcp.json .trae/mcp.json .augment/rules/x.md .zencoder/rules/x.md
  .rules ESLINT.CONFIG.MJS Conftest.py
  default.nix .trunk/trunk.yaml .aspect/cli/config.yaml .sl/config .erb_linters/a.rb .erb-linters/a.rb config.nims src/x.nims
  .tern-project .arcconfig .arclint app.config.js nitro.config.ts stencil.config.ts typedoc.js typedoc.json .umirc.ts modern.config.ts
  craco.config.js keystone.ts sanity.config.ts payload.config.ts truffle-config.js bs-config.js ecosystem.config.js wrangler.toml
  firebase.json serverless.yml apps/a/project.json moon.yml Cross.toml Trunk.toml magefile.go build.ninja Tupfile
  .env .env.local .env.production .env.development.local apps/web/.env.test .ENV.LOCAL .env.example.local .flaskenv Procfile
  Procfile.dev .foreman _darcs/prefs/defaults .pijul/config venv/pyvenv.cfg vendor/autoload.php vendor/composer/autoload_real.php
  node_modules/x/index.js node_modules/.cache/x bower_components/x/a.js jspm_packages/a.js .pnpm-store/v3/x .yarn/cache/x.zip
  venv/lib/python3.12/site-packages/x/__init__.py Lib/Site-Packages/x.py dist-packages/x.py __pypackages__/3.12/lib/x.py
  .eggs/x.egg .tox/py/lib/x.py .nox/x .next/server/page.js .nuxt/x .svelte-kit/x .dart_tool/package_config.json .cache/x
  .gradle/init.d/x.gradle .mypy_cache/x .pytest_cache/x .parcel-cache/x .turbo/x .vite/x .angular/x .hypothesis/x
  skills/x/SKILL.md .iflow/settings.json IFLOW.md src/IFLOW.md .codebuddy/settings.json CODEBUDDY.md .rovodev/config.yml .agent.md
  .lingma/rules/x.md .qoder/rules/x.md .tabnine/guidelines/x.md gptme.toml HERMES.md .hermes.md SOUL.md HEARTBEAT.md .openclaw/openclaw.json
  BUGBOT.md REVIEW.md .devin/skills/x .kode/x .mux/x .pochi/x .coderabbit.yaml .greptile/rules.md greptile.json .pr_agent.toml AGENTS.local.md
  project/Build.scala project/project/plugins.sbt magefiles/build.go .vscode-test.mjs user.clj src/user.clj dev/user.cljc bb.edn
  shadow-cljs.edn lib/ruby_lsp/x/addon.rb lib/ruby_lsp/addon.rb dune dune-project bin/dune dune-workspace Tiltfile skaffold.yaml
  devspace.yaml cdk.json sst.config.ts Pulumi.yaml Earthfile Snakefile dvc.yaml process-compose.yml mprocs.yaml .tmuxinator.yml
  cliff.toml premake5.lua .R/Makevars src/Makevars src/Makevars.win alembic.ini startup.jl meson.build lib/CMakeLists.txt .emacs-project
`
  .trim()
  .split(/\s+/)

/** Source code, documents, and manifests that act only when a person builds or installs the project. */
const ORDINARY = `
  src/index.ts src/x.test.ts test/helpers.js src/config.ts src/vite-config.ts eslint.config.md docs/eslint.config.js.md lib/makefile.rb
  README.md CHANGELOG.md docs/agent-loops.md package.json packages/a/package.json package-lock.json tsconfig.json pyproject.toml
  requirements.txt tests/test_conftest.py app/conf.py app/settings.py manage.py Cargo.toml src/build_rs.rs go.mod main.go pom.xml
  composer.json App.csproj Program.cs Dockerfile build.xml configure main.tf CONVENTIONS.md json.py .classpath toolgate.json .dockerignore .gitignore .editorconfig .prettierignore .eslintignore
  .nvmrc .python-version .ruby-version .github/CODEOWNERS .github/dependabot.yml .clang-format rustfmt.toml biome.json data.json
  config/database.yml index.html style.css bin/tool scripts/build.sh vendor/lib/a.php venv.md node_modules.txt schema.prisma src/codegen.ts
  .env.example .env.local.sample apps/web/.env.production.template compile_commands.json google-services.json
  ios/GoogleService-Info.plist example.env src/env.ts _darcs.md vendor/x/y.go Procfile-notes.md site-packages.md
  TOOLS.md MEMORY.md docs/soul.txt deps.edn lib/ruby_lsp/x/listener.rb src/user.ts src/Main.scala go/mage.go dune.md
  Pulumi.dev.yaml cdk.context.json jsconfig.json tsconfig.build.json app/tasks.py src/app/app.config.ts
`
  .trim()
  .split(/\s+/)

t.test('every group has names and a source', t => {
  for (const { program, names, source } of SELF_STARTING_GROUPS) {
    t.ok(names.length > 0, program)
    t.match(source, /^https?:\/\/[\w.-]+\/\S*$/, program)
  }
  const programs = SELF_STARTING_GROUPS.map(({ program }) => program)
  t.same(programs, [...new Set(programs)], 'each program is one group')
  const folded = SELF_STARTING_NAMES.map(name => name.toLowerCase())
  t.same(
    folded.filter((name, i) => folded.indexOf(name) !== i),
    [],
    'each name is in one group'
  )
  t.same(
    SELF_STARTING_NAMES.filter(name => /[{}\s]/.test(name)),
    [],
    'braces are expanded'
  )
  const all = new Set(SELF_STARTING_NAMES)
  t.same(
    SANDBOX_PROTECTED_NAMES.filter(name => !all.has(name)),
    []
  )
  t.ok(SANDBOX_PROTECTED_NAMES.length < SELF_STARTING_NAMES.length)
  t.end()
})

t.test('a name that was decided not to be listed is not', t => {
  for (const { name, source, reason } of ORDINARY_NAMES) {
    t.notOk(isSelfStarting([name.toLowerCase()]), `${name}: ${reason}`)
    t.match(source, /^https:\/\/[\w.-]+\/\S*$/, name)
  }
  t.end()
})

t.test('expands braces', t => {
  t.same(expandBraces('plain'), ['plain'])
  t.same(expandBraces('{,.}x.{a,b}'), ['x.a', 'x.b', '.x.a', '.x.b'])
  t.end()
})

t.test('a new file that some program executes needs strict approval; an ordinary one needs none', async t => {
  const { post, call } = await startApp(t)
  const create = (path: string) => ({ tool: 'write_file', params: { path, content: 'x\n' } })
  const withoutVerdict = async (paths: readonly string[], decision: string) => {
    const verdicts = await Promise.all(
      paths.map(async path => [path, (await post('/policy/explain', create(path))).verdict.decision])
    )
    return verdicts.filter(([, actual]) => actual !== decision)
  }
  t.same(await withoutVerdict(EXECUTED, 'strict'), [])
  t.same(await withoutVerdict(ORDINARY, 'allow'), [])
  t.match(await call('write_file', create('eslint.config.mjs').params), {
    status: 'awaiting_approval',
    approval: { level: 'strict' }
  })
  t.match(await call('write_file', create('src/index.ts').params), { status: 'success' })
})

t.test('the sandbox protects settings, not what build commands write', t => {
  const names = [
    '.vscode',
    '.cursor',
    '.envrc',
    '.vimspector.json',
    'eslint.config.js',
    'Makefile',
    '.venv',
    'AGENTS.md'
  ]
  const classify = (folder: string, entries: readonly string[]) =>
    new GuardedNames([]).classify(
      folder,
      entries.map(name => ({ name, isFolder: false }))
    )
  const isProtected = ([, { writeProtected }]: [string, { writeProtected: boolean }]) => writeProtected
  const classified = [...classify('', names)]
  t.same(
    classified.filter(isProtected).map(([name]) => name),
    names.slice(0, 4)
  )
  t.same(
    classified.filter(one => !isProtected(one)).map(([name, { selfStarting }]) => [name, selfStarting]),
    names.slice(4).map(name => [name, true]),
    'commands that run unasked may not write the others either'
  )
  t.equal(classify('.venv', ['bin']).size, 0)
  t.end()
})

t.test('patterns of several names match like the reference implementation', t => {
  const patterns = new NamePatterns(SELF_STARTING_NAMES)
  const sequences = SELF_STARTING_NAMES.map(name => name.split('/')).filter(names => names.length > 1)
  // The beginnings of every pattern, each compiled alone.
  const beginnings = new NamePatterns(
    sequences.flatMap(names => names.slice(1).map((_, i) => names.slice(0, i + 1).join('/')))
  )
  const part = fc.constantFrom(...sequences.flat().map(name => name.toLowerCase()), 'src', '')
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), names => {
      const covered = names.some((_, i) => patterns.coversLastName(names.slice(0, i + 1)))
      return (
        patterns.covers(names) === covered && patterns.mayCoverDescendants(names) === beginnings.coversLastName(names)
      )
    }),
    runs(500)
  )
  t.end()
})
