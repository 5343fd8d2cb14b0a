// Names of files that programs execute or interpret automatically, as data: writing one is code execution, so it requires strict
// approval. `name-patterns.ts` defines what a pattern covers; a pattern may contain groups such as `{js,mjs}`.
//
// Criterion: a program that people start as routine (an editor when it opens or saves a file, a shell on `cd`, a git hook, a
// package manager, a test runner, a build tool, continuous integration, an agent) finds the file by its name, without being
// pointed at it, and executes it, or runs or loads what the file names. A file that takes precedence over an existing one counts.
//
// Not included:
// - Source code, tests and documents: they run only if other code or a person names them.
// - Manifests that declare a project and its dependencies (package.json, pyproject.toml, Cargo.toml, go.mod, pom.xml, composer.json,
//   *.csproj, Dockerfile): a new one starts a project, and acts when a person builds or installs that project. A manifest that is
//   itself a program, and evaluated by editors (Gemfile, build.gradle, mix.exs, CMakeLists.txt, meson.build), is included.
// - Settings that name neither code nor commands, such as .editorconfig or .prettierignore.
// - tsconfig.json and jsconfig.json, which are edited often: editors load only installed packages as plug-ins from there.
// - Names that are as common for source code: tasks.py (Invoke), codegen.ts (GraphQL Code Generator), app.config.ts (Expo, Angular).
//
// Every group has the documentation of its lookup order as its source. A program that looks in one folder only is matched in any
// folder, because each package of a repository may be such a folder.
import { regeneratedNames } from '../../../text/regenerated-folders.ts'

interface SelfStartingGroup {
  program: string
  names: readonly string[]
  /** Documentation of where the program looks and what it executes. */
  source: string
  /** Build commands create or change such files routinely: the sandbox does not protect them from commands. */
  commandsMayWrite?: true
}

/** Extensions of JavaScript and TypeScript modules. */
const CODE = '{js,cjs,mjs,ts,cts,mts}'
/** Extensions of configuration that is code or data. */
const CODE_OR_DATA = '{js,cjs,mjs,ts,cts,mts,json,jsonc,json5,yaml,yml,toml}'

const TOOLGATE_AND_EDITORS: readonly SelfStartingGroup[] = [
  {
    program: 'Vetur and Wallaby',
    names: ['vetur.config.{js,cjs}', 'wallaby.{js,cjs,mjs,ts}', '.wallaby.{js,cjs,mjs,ts}'],
    source: 'https://vuejs.github.io/vetur/reference/'
  },
  {
    program: 'Lazygit',
    names: ['.lazygit.yml'],
    source: 'https://github.com/jesseduffield/lazygit/blob/master/docs/Config.md'
  },
  {
    program: 'Toolgate',
    names: ['.toolgate', '.config/toolgate'],
    source: 'https://github.com/toolgate/toolgate/blob/main/docs/configuration.md'
  },
  {
    program: 'VS Code',
    names: ['.vscode', '.vscode-server', '*.code-workspace'],
    source: 'https://code.visualstudio.com/docs/editor/workspace-trust'
  },
  {
    program: 'Visual Studio',
    names: ['.vs', 'tasks.vs.json', 'launch.vs.json', '.runsettings'],
    source: 'https://learn.microsoft.com/en-us/visualstudio/ide/customize-build-and-debug-tasks-in-visual-studio'
  },
  {
    program: 'JetBrains IDEs',
    names: ['.idea', '.fleet', '.run', '*.run.xml', '.ideavimrc'],
    source: 'https://www.jetbrains.com/help/idea/run-debug-configuration.html'
  },
  {
    program: 'Eclipse and its Java language server',
    names: ['.project', '.factorypath', '.externalToolBuilders', '.settings'],
    source: 'https://help.eclipse.org/latest/topic/org.eclipse.platform.doc.user/concepts/concepts-exttools.htm',
    commandsMayWrite: true
  },
  {
    program: 'NetBeans',
    names: ['nbproject'],
    source: 'https://netbeans.apache.org/tutorial/main/kb/docs/java/project-setup/',
    commandsMayWrite: true
  },
  { program: 'Zed', names: ['.zed'], source: 'https://zed.dev/docs/configuring-zed#project-settings' },
  { program: 'Helix', names: ['.helix'], source: 'https://docs.helix-editor.com/configuration.html' },
  { program: 'Nova', names: ['.nova'], source: 'https://help.nova.app/using-nova/tasks/' },
  { program: 'Theia', names: ['.theia'], source: 'https://theia-ide.org/docs/preferences/' },
  {
    program: 'Lite XL',
    names: ['.lite_project.lua'],
    source: 'https://lite-xl.com/user-guide/configuration/'
  },
  {
    program: 'Sublime Text',
    names: ['.sublime-project', '*.sublime-project'],
    source: 'https://www.sublimetext.com/docs/projects.html'
  },
  {
    program: 'Vim and Neovim',
    names: [
      '.vim',
      '.vimrc',
      '_vimrc',
      '.gvimrc',
      '_gvimrc',
      '.exrc',
      '_exrc',
      '.nvimrc',
      '.nvim.lua',
      '.nvim',
      '.config/nvim',
      '.config/vim'
    ],
    source: "https://neovim.io/doc/user/options.html#'exrc'"
  },
  {
    program: 'Plug-ins of Vim and Neovim',
    names: [
      '.lvimrc',
      '.local.vimrc',
      '.vimrc.local',
      '.lazy.lua',
      '.vimspector.json',
      '.gadgets.json',
      '.neoconf.json',
      '.nlsettings',
      '.ycm_extra_conf.py'
    ],
    source: 'https://puremourning.github.io/vimspector/configuration.html'
  },
  {
    program: 'Emacs',
    names: ['.emacs', '.emacs.d', '.config/emacs', '.doom.d', '.config/doom', '.dir-locals.el', '.dir-locals-2.el'],
    source: 'https://www.gnu.org/software/emacs/manual/html_node/emacs/Directory-Variables.html'
  },
  {
    program: 'Project variables of Emacs',
    names: ['.emacs-project', '.emacs-dirvars'],
    source: 'https://www.emacswiki.org/emacs/ProjectLocalVariables'
  },
  {
    program: 'Development containers and cloud workspaces',
    names: [
      '.devcontainer',
      '.devcontainer.json',
      '.gitpod.yml',
      '.ona',
      '.codesandbox',
      '.stackblitzrc',
      '.replit',
      'replit.nix',
      '.idx'
    ],
    source: 'https://containers.dev/implementors/spec/#devcontainerjson'
  }
]

const AGENTS: readonly SelfStartingGroup[] = [
  {
    program: 'Skills of agents, in whatever folder an agent looks for them',
    names: ['SKILL.md'],
    source: 'https://agentskills.io/specification'
  },
  {
    program: 'Claude Code',
    names: ['.claude', '.claude.json', '.claude-plugin', '.mcp.json', 'mcp.json', '.lsp.json'],
    source: 'https://code.claude.com/docs/en/settings'
  },
  {
    program: 'Cursor',
    names: ['.cursor', '.cursorrules'],
    source: 'https://docs.cursor.com/context/rules'
  },
  {
    program: 'Windsurf',
    names: ['.windsurf', '.windsurfrules', '.codeium'],
    source: 'https://docs.windsurf.com/windsurf/cascade/memories'
  },
  {
    program: 'GitHub Copilot',
    names: [
      '.copilot',
      '.github/copilot-instructions.md',
      '.github/instructions',
      '.github/prompts',
      '.github/chatmodes',
      '.github/agents',
      '.github/skills',
      '.github/hooks',
      '.github/mcp.json'
    ],
    source: 'https://docs.github.com/en/copilot/how-tos/configure-custom-instructions/add-repository-instructions'
  },
  { program: 'Codex', names: ['.codex'], source: 'https://developers.openai.com/codex/config-reference' },
  {
    program: 'Gemini CLI',
    names: ['.gemini'],
    source: 'https://google-gemini.github.io/gemini-cli/docs/get-started/configuration.html'
  },
  {
    program: 'Qwen Code',
    names: ['.qwen'],
    source: 'https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings/'
  },
  {
    program: 'OpenCode',
    names: ['.opencode', 'opencode.json', 'opencode.jsonc'],
    source: 'https://opencode.ai/docs/config/'
  },
  {
    program: 'Crush',
    names: ['.crushrc', 'crushrc', '.crush.json', 'crush.json', '.crush', '.config/crush'],
    source: 'https://github.com/charmbracelet/crush/blob/main/docs/config/README.md#where-config-lives'
  },
  {
    program: 'Cline',
    names: ['.cline', '.clinerules'],
    source: 'https://docs.cline.bot/features/cline-rules'
  },
  {
    program: 'Roo Code',
    names: ['.roo', '.roomodes', '.roorules', '.roorules-*'],
    source: 'https://docs.roocode.com/features/custom-instructions'
  },
  {
    program: 'Kilo Code',
    names: ['.kilocode', '.kilocodemodes', '.kilocoderules'],
    source: 'https://kilocode.ai/docs/advanced-usage/custom-rules'
  },
  {
    program: 'Continue',
    names: ['.continue', '.continuerc.json', '.continuerules'],
    source: 'https://docs.continue.dev/customize/deep-dives/rules'
  },
  {
    program: 'Aider',
    names: ['.aider.conf.yml', '.aider.conf.yaml'],
    source: 'https://aider.chat/docs/config/aider_conf.html'
  },
  {
    program: 'Kiro and Amazon Q Developer',
    names: ['.kiro', '.amazonq'],
    source: 'https://kiro.dev/docs/mcp/configuration/'
  },
  { program: 'Junie', names: ['.junie'], source: 'https://www.jetbrains.com/help/junie/customize-guidelines.html' },
  {
    program: 'Goose',
    names: ['.goosehints', '.goose'],
    source: 'https://block.github.io/goose/docs/guides/context-engineering/using-goosehints/'
  },
  { program: 'Factory', names: ['.factory'], source: 'https://docs.factory.ai/cli/configuration/mcp' },
  { program: 'Trae', names: ['.trae'], source: 'https://docs.trae.ai/ide/rules' },
  {
    program: 'Augment',
    names: ['.augment', '.augment-guidelines'],
    source: 'https://docs.augmentcode.com/setup-augment/guidelines'
  },
  { program: 'Zencoder', names: ['.zencoder'], source: 'https://docs.zencoder.ai/rules-context/zen-rules' },
  {
    program: 'OpenHands',
    names: ['.openhands', '.openhands_instructions'],
    source: 'https://docs.openhands.dev/openhands/usage/customization/repository'
  },
  { program: 'Qodo', names: ['.qodo'], source: 'https://docs.qodo.ai/qodo-documentation/qodo-gen' },
  { program: 'Warp', names: ['.warp'], source: 'https://docs.warp.dev/knowledge-and-collaboration/rules' },
  { program: 'Mistral Vibe', names: ['.vibe'], source: 'https://github.com/mistralai/mistral-vibe#configuration' },
  { program: 'Amp', names: ['.amp'], source: 'https://ampcode.com/manual#configuration' },
  { program: 'Pi', names: ['.pi'], source: 'https://docs.rs/crate/agent-config/0.3.0/source/docs/agents/pi.md' },
  {
    program: 'JetBrains AI Assistant',
    names: ['.aiassistant'],
    source: 'https://www.jetbrains.com/help/ai-assistant/configure-project-rules.html'
  },
  {
    program: 'Firebender',
    names: ['firebender.json', '.firebender'],
    source: 'https://docs.firebender.com/context/rules'
  },
  {
    program: 'Ruler',
    names: ['.ruler'],
    source: 'https://github.com/intellectronica/ruler#core-concepts'
  },
  {
    program: 'iFlow CLI',
    names: ['.iflow'],
    source: 'https://platform.iflow.cn/en/cli/examples/hooks'
  },
  {
    program: 'CodeBuddy',
    names: ['.codebuddy'],
    source: 'https://cloud.tencent.com/document/product/1831/137016'
  },
  {
    program: 'Rovo Dev',
    names: ['.rovodev'],
    source: 'https://support.atlassian.com/rovo/docs/use-memory-in-rovo-dev-cli'
  },
  {
    program: 'Lingma and Qoder',
    names: ['.lingma', '.qoder'],
    source: 'https://www.alibabacloud.com/help/en/lingma/user-guide/rules'
  },
  {
    program: 'Tabnine',
    names: ['.tabnine'],
    source: 'https://docs.tabnine.com/main/getting-started/tabnine-agent/guidelines'
  },
  {
    program: 'gptme',
    names: ['gptme.toml', 'gptme.local.toml'],
    source: 'https://gptme.org/docs/config.html'
  },
  {
    program: 'Hermes Agent',
    names: ['.hermes', '.hermes.md'],
    source: 'https://hermes-agent.nousresearch.com/docs/user-guide/features/context-files'
  },
  {
    program: 'OpenClaw',
    names: ['.openclaw'],
    source: 'https://docs.openclaw.ai/concepts/agent'
  },
  {
    program: 'Command Code, Cortex Code, Kode, MCPJam, Mux, Neovate, Pochi and AdaL',
    names: ['.commandcode', '.cortex', '.kode', '.mcpjam', '.mux', '.neovate', '.pochi', '.adal'],
    source: 'https://github.com/vercel-labs/skills/blob/main/README.md'
  },
  { program: 'Devin', names: ['.devin'], source: 'https://cli.devin.ai/docs/extensibility/skills/overview' },
  {
    program: 'CodeRabbit',
    names: ['.coderabbit.{yaml,yml}', `.coderabbit.config.${CODE}`],
    source: 'https://docs.coderabbit.ai/getting-started/yaml-configuration'
  },
  {
    program: 'Greptile',
    names: ['.greptile', 'greptile.json'],
    source: 'https://greptile.com/docs/code-review/greptile-json-reference'
  },
  {
    program: 'Qodo Merge',
    names: ['.pr_agent.toml'],
    source: 'https://docs.qodo.ai/v1/configuration/configuration-file'
  },
  {
    program: 'Several agents: skills and rules',
    names: ['.agents', '.agent', '.rules'],
    source: 'https://agentskills.io/'
  },
  {
    program: 'Several agents: instructions',
    names: [
      'AGENTS.md',
      'AGENTS.override.md',
      'AGENT.md',
      'CLAUDE.md',
      'CLAUDE.local.md',
      'GEMINI.md',
      'QWEN.md',
      'CRUSH.md',
      'WARP.md',
      'AGENTS.local.md',
      '.agent.md',
      '.agent.local.md',
      'IFLOW.md',
      'CODEBUDDY.md',
      'CODEBUDDY.local.md',
      'HERMES.md',
      'SOUL.md',
      'HEARTBEAT.md',
      'BUGBOT.md',
      'REVIEW.md'
    ],
    source: 'https://agents.md/',
    commandsMayWrite: true
  }
]

const GIT_AND_CI: readonly SelfStartingGroup[] = [
  {
    program: 'Git',
    names: ['.gitattributes', '.gitmodules', '.gitconfig', '.config/git', '.githooks', 'githooks'],
    source: 'https://git-scm.com/docs/gitattributes'
  },
  { program: 'Mercurial', names: ['.hg/hgrc'], source: 'https://www.mercurial-scm.org/doc/hgrc.5.html' },
  {
    program: 'Sapling',
    names: ['.sl/config'],
    source: 'https://sapling-scm.com/docs/introduction/getting-started/'
  },
  {
    program: 'Trunk Code Quality',
    names: ['.trunk/trunk.yaml', '.trunk/user.yaml'],
    source: 'https://docs.trunk.io/code-quality/overview/getting-started/configuration'
  },
  {
    program: 'Arcanist',
    names: ['.arcconfig', '.arclint', '.arcunit'],
    source: 'https://secure.phabricator.com/book/phabricator/article/arcanist_new_project/'
  },
  { program: 'Darcs', names: ['_darcs/prefs'], source: 'https://darcs.net/Using/Configuration' },
  {
    program: 'Pijul',
    names: ['.pijul'],
    source: 'https://docs.rs/crate/pijul/1.0.0-beta.22/source/src/commands/hooks.rs'
  },
  { program: 'Jujutsu', names: ['.jj'], source: 'https://docs.jj-vcs.dev/latest/config/' },
  {
    program: 'Husky',
    names: ['.husky', '.huskyrc', '.huskyrc.*', 'husky.config.*'],
    source: 'https://typicode.github.io/husky/how-to.html'
  },
  {
    program: 'pre-commit and prek',
    names: ['.pre-commit-config.yaml', '.pre-commit-config.yml', '.pre-commit-hooks.yaml', 'prek.toml'],
    source: 'https://pre-commit.com/#pre-commit-configyaml---top-level'
  },
  {
    program: 'Lefthook',
    names: [
      '{,.}lefthook.{yml,yaml,toml,json,jsonc}',
      '{,.}lefthook-local.{yml,yaml,toml,json,jsonc}',
      '.lefthook',
      '.lefthook-local'
    ],
    source: 'https://lefthook.dev/configuration'
  },
  {
    program: 'lint-staged',
    names: ['.lintstagedrc', '.lintstagedrc.*', 'lint-staged.config.*'],
    source: 'https://github.com/lint-staged/lint-staged#configuration'
  },
  {
    program: 'simple-git-hooks',
    names: [`{,.}simple-git-hooks.{js,cjs,mjs,json}`],
    source: 'https://github.com/toplenboren/simple-git-hooks#usage'
  },
  {
    program: 'Overcommit',
    names: ['.overcommit.yml', '.git-hooks'],
    source: 'https://github.com/sds/overcommit#configuration'
  },
  {
    program: 'CaptainHook and GrumPHP',
    names: ['captainhook.json', 'grumphp.{yml,yaml,yml.dist,yaml.dist,dist.yml,dist.yaml}'],
    source: 'https://php.captainhook.info/configuration/'
  },
  {
    program: 'commitlint and Commitizen',
    names: ['.commitlintrc', '.commitlintrc.*', 'commitlint.config.*', '.czrc', '.cz.{json,toml,yaml}', '.cz-config.*'],
    source: 'https://commitlint.js.org/reference/configuration.html',
    commandsMayWrite: true
  },
  {
    program: 'GitHub Actions',
    names: ['.github/workflows', '.github/actions'],
    source: 'https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax'
  },
  {
    program: 'GitLab CI',
    names: ['.gitlab-ci.yml', '.gitlab'],
    source: 'https://docs.gitlab.com/ci/yaml/'
  },
  {
    program: 'Forgejo and Gitea Actions',
    names: ['.forgejo', '.gitea'],
    source: 'https://forgejo.org/docs/latest/user/actions/reference/'
  },
  {
    program: 'Jenkins',
    names: ['Jenkinsfile', 'Jenkinsfile.*'],
    source: 'https://www.jenkins.io/doc/book/pipeline/jenkinsfile/'
  },
  {
    program: 'Other services for continuous integration',
    names: [
      '.circleci',
      '.buildkite',
      '.travis.yml',
      '.drone.{yml,yaml,star,jsonnet}',
      '.woodpecker',
      '.woodpecker.{yml,yaml}',
      'azure-pipelines.{yml,yaml}',
      'bitbucket-pipelines.yml',
      '{,.}appveyor.{yml,yaml}',
      'cloudbuild.{yaml,yml,json}',
      'buildspec.{yml,yaml}',
      'codemagic.yaml',
      'bitrise.yml',
      '.cirrus.{yml,star}',
      '.semaphore',
      '.teamcity',
      '.tekton',
      '.harness',
      '.builds',
      '.build.yml'
    ],
    source: 'https://circleci.com/docs/config-intro/'
  },
  {
    program: 'Services that build and deploy each push',
    names: ['.readthedocs.{yaml,yml}', 'netlify.toml', 'vercel.{json,ts}', 'render.yaml', 'amplify.yml', 'heroku.yml'],
    source: 'https://docs.netlify.com/build/configure-builds/file-based-configuration/'
  },
  {
    program: 'Danger',
    names: ['Dangerfile', 'Dangerfile.*', `dangerfile.${CODE}`],
    source: 'https://danger.systems/js/usage/the-dangerfile.html',
    commandsMayWrite: true
  },
  {
    program: 'Release tools (semantic-release, release-it, commit-and-tag-version, GoReleaser, Changesets)',
    names: [
      '.releaserc',
      `.releaserc.${CODE_OR_DATA}`,
      `release.config.${CODE}`,
      `.release-it.${CODE_OR_DATA}`,
      '.versionrc',
      '.versionrc.*',
      '{,.}goreleaser.{yml,yaml}',
      '.changeset/config.json'
    ],
    source: 'https://semantic-release.gitbook.io/semantic-release/usage/configuration',
    commandsMayWrite: true
  }
]

const SHELLS_AND_SYSTEM: readonly SelfStartingGroup[] = [
  {
    program: 'Shells',
    names: [
      '.bashrc',
      '.bash_profile',
      '.bash_login',
      '.bash_logout',
      '.bash_aliases',
      '.bash_completion',
      '.profile',
      '.zshrc',
      '.zshenv',
      '.zprofile',
      '.zlogin',
      '.zlogout',
      '.kshrc',
      '.mkshrc',
      '.shrc',
      '.cshrc',
      '.tcshrc',
      '.login',
      '.logout',
      '.inputrc',
      '.config/fish',
      '.config/nushell',
      '.config/powershell',
      '.config/zsh',
      '.config/xonsh',
      '.xonshrc',
      'Microsoft.PowerShell_profile.ps1'
    ],
    source: 'https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html'
  },
  {
    program: 'direnv and autoenv',
    names: ['.envrc', '.direnv', '.autoenv', '.autoenv.zsh', '.autoenv_leave.zsh'],
    source: 'https://direnv.net/man/direnv.1.html'
  },
  {
    program: 'Programs that load variables of the environment (Bun, Vite, Docker Compose, pipenv, VS Code and others)',
    names: ['.env', '.env.*', '.flaskenv'],
    source: 'https://bun.com/docs/runtime/environment-variables',
    commandsMayWrite: true
  },
  {
    program: 'Foreman, Honcho, Overmind and services that run a Procfile',
    names: ['Procfile', 'Procfile.*', '.foreman', '.overmind.env'],
    source: 'https://honcho.readthedocs.io/en/stable/using_procfiles.html',
    commandsMayWrite: true
  },
  {
    program: 'mise and asdf',
    names: [
      '{,.}mise.toml',
      '{,.}mise.*.toml',
      '.mise',
      '{,.}mise-tasks',
      'mise/config.toml',
      '.config/mise',
      '.tool-versions'
    ],
    source: 'https://mise.jdx.dev/configuration.html'
  },
  {
    program: 'Nix, devenv and Devbox',
    names: ['shell.nix', 'default.nix', 'flake.nix', 'devenv.nix', 'devenv.yaml', 'devenv.local.nix', 'devbox.json'],
    source: 'https://nix.dev/manual/nix/latest/command-ref/nix-shell',
    commandsMayWrite: true
  },
  {
    program: 'Guix',
    names: ['guix.scm', 'manifest.scm'],
    source: 'https://guix.gnu.org/manual/en/html_node/Invoking-guix-shell.html',
    commandsMayWrite: true
  },
  {
    program: 'Terminals and sessions',
    names: [
      '.screenrc',
      '.tmux.conf',
      '.config/tmux',
      '.wezterm.lua',
      '.xinitrc',
      '.xprofile',
      '.xsession',
      '.xsessionrc',
      '.pam_environment',
      '.config/autostart',
      '.config/systemd',
      '.config/environment.d',
      '.local/bin',
      '.ssh',
      '.forward',
      '.procmailrc'
    ],
    source: 'https://man7.org/linux/man-pages/man1/tmux.1.html'
  },
  {
    program: 'Command-line programs and debuggers',
    names: [
      '.gdbinit',
      '.gdbearlyinit',
      '.lldbinit',
      '.curlrc',
      '.wgetrc',
      '.ripgreprc',
      '.lessfilter',
      '.psqlrc',
      '.sqliterc',
      '.duckdbrc',
      '.mongorc.js',
      '.mongoshrc.js'
    ],
    source: 'https://sourceware.org/gdb/current/onlinedocs/gdb.html/Startup.html'
  },
  {
    program: 'LaTeX',
    names: ['latexmkrc', '.latexmkrc'],
    source: 'https://ctan.org/pkg/latexmk'
  },
  {
    program: 'Ansible',
    names: ['ansible.cfg', '.ansible.cfg'],
    source: 'https://docs.ansible.com/ansible/latest/reference_appendices/config.html'
  },
  {
    program: 'Ansible Lint',
    names: ['{,.config/}{,.}ansible-lint.{yml,yaml}', '.ansible-lint'],
    source: 'https://ansible.readthedocs.io/projects/lint/configuring/',
    commandsMayWrite: true
  },
  {
    program: 'Terraform and OpenTofu',
    names: ['.terraformrc', 'terraform.rc', '.tofurc', 'tofu.rc'],
    source: 'https://developer.hashicorp.com/terraform/cli/config/config-file'
  },
  {
    program: 'Terraform: files that override others, and what runs around them',
    names: [
      'override.{tf,tf.json,tofu}',
      '*_override.{tf,tf.json,tofu}',
      '*.auto.tfvars',
      '*.auto.tfvars.json',
      '.terraform',
      'terragrunt.hcl',
      '.tflint.hcl',
      '.checkov.{yml,yaml}'
    ],
    source: 'https://developer.hashicorp.com/terraform/language/files/override',
    commandsMayWrite: true
  },
  {
    program: 'Vagrant',
    names: ['Vagrantfile'],
    source: 'https://developer.hashicorp.com/vagrant/docs/vagrantfile#lookup-path',
    commandsMayWrite: true
  },
  {
    program: 'Docker Compose and Podman Compose',
    names: [
      'compose.{yaml,yml}',
      'compose.override.{yaml,yml}',
      'docker-compose.{yaml,yml}',
      'docker-compose.override.{yaml,yml}',
      '{podman,container}-compose.{yaml,yml}',
      '{podman,container}-compose.override.{yaml,yml}'
    ],
    source: 'https://docs.docker.com/compose/intro/compose-application-model/#the-compose-file',
    commandsMayWrite: true
  },
  {
    program: 'Docker Bake and Podman: files that take precedence',
    names: ['docker-bake.override.{hcl,json}', 'Containerfile'],
    source: 'https://docs.docker.com/build/bake/overrides/#file-overrides',
    commandsMayWrite: true
  },
  {
    program: 'Apache and PHP on web servers',
    names: ['.htaccess', '.user.ini'],
    source: 'https://httpd.apache.org/docs/current/howto/htaccess.html'
  }
]

const REGENERATED_FOLDERS: readonly SelfStartingGroup[] = [
  {
    program: 'Programs that load installed packages',
    names: regeneratedNames('dependencies'),
    source: 'https://nodejs.org/api/modules.html#loading-from-node_modules-folders',
    commandsMayWrite: true
  },
  {
    program: 'Programs that load their caches, or what they made before',
    names: regeneratedNames('cache', 'output'),
    source: 'https://docs.python.org/3/reference/import.html#cached-bytecode-invalidation',
    commandsMayWrite: true
  }
]

const BUILD_TOOLS: readonly SelfStartingGroup[] = [
  {
    program: 'SCons and Waf',
    names: ['SConstruct', 'wscript'],
    source: 'https://scons.org/doc/production/HTML/scons-man.html',
    commandsMayWrite: true
  },
  {
    program: 'Build server protocol, in Metals and IntelliJ IDEA',
    names: ['.bsp'],
    source: 'https://build-server-protocol.github.io/docs/overview/server-discovery',
    commandsMayWrite: true
  },
  {
    program: 'depot_tools',
    names: ['PRESUBMIT.py', '.gclient'],
    source: 'https://www.chromium.org/developers/how-tos/depottools/presubmit-scripts/',
    commandsMayWrite: true
  },
  {
    program: 'Make',
    names: [
      'GNUmakefile',
      'Makefile',
      'BSDmakefile',
      'Makefile.toml',
      // GNU make makes a makefile from these first, by its built-in rules.
      'GNUmakefile.sh',
      'Makefile.sh',
      'GNUmakefile,v',
      'Makefile,v',
      's.Makefile',
      's.GNUmakefile'
    ],
    source: 'https://www.gnu.org/software/make/manual/html_node/Makefile-Names.html',
    commandsMayWrite: true
  },
  {
    program: 'just',
    names: ['justfile', '.justfile'],
    source: 'https://just.systems/man/en/quick-start.html',
    commandsMayWrite: true
  },
  {
    program: 'Task',
    names: ['Taskfile.{yml,yaml}', 'Taskfile.dist.{yml,yaml}', '.taskrc.{yml,yaml}'],
    source: 'https://taskfile.dev/docs/guide#supported-file-names',
    commandsMayWrite: true
  },
  {
    program: 'Bazel',
    names: ['.bazelrc', '.bazeliskrc', '.bazelversion', 'tools/bazel'],
    source: 'https://bazel.build/run/bazelrc'
  },
  {
    program: 'Bazel: workspaces',
    names: ['WORKSPACE', 'WORKSPACE.bazel', 'WORKSPACE.bzlmod', 'MODULE.bazel'],
    source: 'https://bazel.build/external/overview',
    commandsMayWrite: true
  },
  {
    program: 'Buck, Pants and Please',
    names: [
      '.buckconfig',
      '.buckconfig.*',
      '.buckversion',
      'pants.toml',
      '.pants.rc',
      '.pants.bootstrap',
      '.plzconfig',
      '.plzconfig.*'
    ],
    source: 'https://buck2.build/docs/concepts/buckconfig/'
  },
  {
    program: 'CMake presets',
    names: ['CMakePresets.json', 'CMakeUserPresets.json'],
    source: 'https://cmake.org/cmake/help/latest/manual/cmake-presets.7.html',
    commandsMayWrite: true
  },
  {
    program: 'CMake projects, which editors configure when they open or save them',
    names: ['CMakeLists.txt'],
    source: 'https://github.com/microsoft/vscode-cmake-tools/blob/main/docs/cmake-settings.md',
    commandsMayWrite: true
  },
  {
    program: 'Meson projects, likewise',
    names: ['meson.build'],
    source: 'https://mesonbuild.com/External-commands.html',
    commandsMayWrite: true
  },
  {
    program: 'Conan, vcpkg and xmake',
    names: ['conanfile.py', 'vcpkg-configuration.json', 'xmake.lua'],
    source: 'https://docs.conan.io/2/reference/conanfile.html',
    commandsMayWrite: true
  },
  { program: 'clangd', names: ['.clangd'], source: 'https://clangd.llvm.org/config' },
  {
    program: 'Aspect CLI',
    names: ['.aspect/cli/config.yaml'],
    source: 'https://docs.aspect.build/cli/plugins/'
  },
  {
    program: 'Ninja, Tup and Mage',
    names: ['build.ninja', 'Tupfile', 'Tupfile.lua', 'Tuprules.tup', 'Tuprules.lua', 'magefile.go', 'magefiles/*.go'],
    source: 'https://ninja-build.org/manual.html#_running_ninja',
    commandsMayWrite: true
  },
  {
    program: 'Tilt',
    names: ['Tiltfile'],
    source: 'https://docs.tilt.dev/tiltfile_concepts.html',
    commandsMayWrite: true
  },
  {
    program: 'Skaffold, DevSpace, Garden and Okteto',
    names: [
      'skaffold.{yaml,yml}',
      'devspace.{yaml,yml}',
      'garden.{yaml,yml}',
      '*.garden.{yaml,yml}',
      'okteto.{yaml,yml}',
      '.okteto'
    ],
    source: 'https://skaffold.dev/docs/lifecycle-hooks',
    commandsMayWrite: true
  },
  {
    program: 'AWS CDK',
    names: ['cdk.json'],
    source: 'https://docs.aws.amazon.com/cdk/v2/guide/ref-cli-cmd-synth.html',
    commandsMayWrite: true
  },
  {
    program: 'SST',
    names: [`sst.config.${CODE}`],
    source: 'https://sst.dev/docs/reference/config/',
    commandsMayWrite: true
  },
  {
    program: 'Pulumi',
    names: ['Pulumi.{yaml,yml,json}'],
    source: 'https://www.pulumi.com/docs/iac/concepts/projects/project-file/',
    commandsMayWrite: true
  },
  {
    program: 'Earthly',
    names: ['Earthfile'],
    source: 'https://docs.earthly.dev/docs/earthfile',
    commandsMayWrite: true
  },
  {
    program: 'Snakemake, Nextflow and DVC',
    names: ['Snakefile', 'nextflow.config', 'dvc.yaml'],
    source: 'https://snakemake.readthedocs.io/en/stable/executing/cli.html',
    commandsMayWrite: true
  },
  {
    program: 'Process Compose and mprocs',
    names: ['process-compose.{yaml,yml}', 'process-compose.override.{yaml,yml}', 'mprocs.{yaml,json}'],
    source: 'https://f1bonacc1.github.io/configuration',
    commandsMayWrite: true
  },
  {
    program: 'tmuxinator',
    names: ['.tmuxinator.{yml,yaml}'],
    source: 'https://github.com/tmuxinator/tmuxinator#project-configuration-location'
  },
  {
    program: 'git-cliff',
    names: ['{,.}cliff.toml'],
    source: 'https://git-cliff.org/docs/configuration',
    commandsMayWrite: true
  },
  {
    program: 'Premake',
    names: ['premake5.lua', 'premake4.lua'],
    source: 'https://premake.github.io/docs/Your-First-Script/',
    commandsMayWrite: true
  },
  { program: 'ccls', names: ['.ccls'], source: 'https://github.com/MaskRay/ccls/wiki/Project-Setup' }
]

const JAVASCRIPT: readonly SelfStartingGroup[] = [
  {
    program: 'npm, Yarn and pnpm',
    names: [
      '.npmrc',
      '.yarnrc',
      '.yarnrc.yml',
      '.yarn/releases',
      '.yarn/plugins',
      '.pnp.cjs',
      '.pnp.loader.mjs',
      '.pnpmfile.cjs',
      '.pnpmfile.mjs',
      'pnpmfile.cjs',
      'pnpmfile.js',
      '.pnpmfile.js'
    ],
    source: 'https://docs.npmjs.com/cli/configuring-npm/npmrc'
  },
  {
    program: 'npm, Yarn and pnpm: workspaces, native builds, files that take precedence',
    names: [
      'pnpm-workspace.yaml',
      'package.yaml',
      'package.json5',
      'yarn.config.cjs',
      'npm-shrinkwrap.json',
      'binding.gyp'
    ],
    source: 'https://docs.npmjs.com/cli/v11/commands/npm-rebuild/',
    commandsMayWrite: true
  },
  {
    program: 'Installed programs, found before those of the system',
    names: ['vendor/bin', '{venv,env}/{bin,Scripts}'],
    source: 'https://docs.npmjs.com/cli/using-npm/scripts#path',
    commandsMayWrite: true
  },
  { program: 'Bun', names: ['bunfig.toml', '.bunfig.toml'], source: 'https://bun.com/docs/runtime/bunfig' },
  {
    program: 'Deno',
    names: ['deno.{json,jsonc}'],
    source: 'https://docs.deno.com/runtime/fundamentals/configuration/',
    commandsMayWrite: true
  },
  {
    program: 'ESLint',
    names: ['.eslintrc', '.eslintrc.{js,cjs,mjs,json,yaml,yml}', `eslint.config.${CODE}`],
    source: 'https://eslint.org/docs/latest/use/configure/configuration-files',
    commandsMayWrite: true
  },
  {
    program: 'Prettier: plug-ins are code, whatever the format',
    names: ['.prettierrc', `.prettierrc.${CODE_OR_DATA}`, `prettier.config.${CODE}`],
    source: 'https://prettier.io/docs/configuration',
    commandsMayWrite: true
  },
  {
    program: 'Stylelint',
    names: ['.stylelintrc', `.stylelintrc.${CODE_OR_DATA}`, `stylelint.config.${CODE}`],
    source: 'https://stylelint.io/user-guide/configure',
    commandsMayWrite: true
  },
  {
    program: 'Other linters',
    names: [
      '.oxlintrc.{json,jsonc}',
      `oxlint.config.${CODE}`,
      'tslint.{js,json,yaml,yml}',
      '.xo-config',
      `{.xo-config,xo.config}.${CODE_OR_DATA}`,
      '.template-lintrc.{js,cjs,mjs}',
      '.markdownlint.{cjs,mjs}',
      '.markdownlint-cli2.{jsonc,yaml,cjs,mjs}',
      '.remarkrc',
      '.remarkrc.*',
      '.textlintrc',
      '.textlintrc.*',
      '.htmlvalidate.{js,cjs,mjs,json}',
      `{,.}cspell.config.${CODE}`,
      '.spectral.{yaml,yml,json,js,mjs}',
      '{,.}redocly.{yaml,yml}',
      '.dependency-cruiser.*',
      `{,.}knip.${CODE_OR_DATA}`,
      `knip.config.${CODE}`,
      '.syncpackrc',
      '.syncpackrc.*',
      `syncpack.config.${CODE}`,
      '.ncurc',
      '.ncurc.*',
      '{,.}dprint.{json,jsonc}'
    ],
    source: 'https://oxc.rs/docs/guide/usage/linter/config.html',
    commandsMayWrite: true
  },
  {
    program: 'Babel and SWC',
    names: ['.babelrc', '.babelrc.*', 'babel.config.*', '.swcrc'],
    source: 'https://babeljs.io/docs/config-files',
    commandsMayWrite: true
  },
  {
    program: 'PostCSS and Tailwind CSS',
    names: [
      '.postcssrc',
      `.postcssrc.${CODE_OR_DATA}`,
      `postcss.config.${CODE_OR_DATA}`,
      `tailwind.config.${CODE}`,
      `{uno,unocss,windi,panda}.config.${CODE}`
    ],
    source: 'https://github.com/postcss/postcss-load-config#usage',
    commandsMayWrite: true
  },
  {
    program: 'Vite and Vitest',
    names: [`vite.config.${CODE}`, `vitest.config.${CODE}`, 'vitest.workspace.*', `electron.vite.config.${CODE}`],
    source: 'https://vitest.dev/config/',
    commandsMayWrite: true
  },
  {
    program: 'Jest',
    names: [`jest.config.${CODE}`, 'jest.config.json'],
    source: 'https://jestjs.io/docs/configuration',
    commandsMayWrite: true
  },
  {
    program: 'Playwright, Cypress and other end-to-end test runners',
    names: [
      `playwright.config.${CODE}`,
      `playwright-ct.config.${CODE}`,
      `cypress.config.${CODE}`,
      'cypress.json',
      'wdio.conf.*',
      'nightwatch.conf.*',
      'nightwatch.json',
      'protractor.conf.*',
      '.testcaferc.*',
      'codecept.conf.*',
      'testem.*',
      `{web-test-runner,checkly,puppeteer}.config.${CODE}`,
      '.puppeteerrc',
      '.puppeteerrc.*'
    ],
    source: 'https://playwright.dev/docs/test-configuration',
    commandsMayWrite: true
  },
  {
    program: 'Mocha, AVA, tap, Karma, nyc, c8 and other test runners',
    names: [
      '.mocharc',
      '.mocharc.*',
      `ava.config.${CODE}`,
      '.taprc',
      `karma.conf.${CODE}`,
      '.nycrc',
      '.nycrc.*',
      `nyc.config.${CODE}`,
      '.c8rc',
      '.c8rc.*',
      'spec/support/jasmine.*',
      'stryker.{conf,config}.*',
      'cucumber.{js,cjs,mjs,json,yaml,yml}'
    ],
    source: 'https://mochajs.org/next/running/configuring/',
    commandsMayWrite: true
  },
  {
    program: 'VS Code extension tests',
    names: ['.vscode-test.{js,cjs,mjs,json}'],
    source: 'https://code.visualstudio.com/api/working-with-extensions/testing-extension',
    commandsMayWrite: true
  },
  {
    program: 'Webpack, Rollup, Rspack and other bundlers',
    names: [
      `{webpack,rspack,rsbuild,rslib,rollup,rolldown,tsup,tsdown,farm,build}.config.${CODE}`,
      'webpackfile',
      `webpackfile.${CODE}`,
      '.parcelrc',
      '.parcelrc.*',
      `svgo.config.${CODE}`
    ],
    source: 'https://webpack.js.org/configuration/',
    commandsMayWrite: true
  },
  {
    program: 'Next.js, Nuxt, SvelteKit, Astro and other frameworks',
    names: [
      `{nitro,stencil,modern,craco,sanity,payload}.config.${CODE}`,
      `sanity.cli.${CODE}`,
      '.umirc.*',
      'keystone.{js,ts}',
      `{next,nuxt,svelte,astro,vue,remix,react-router,quasar,waku,docusaurus,eleventy}.config.${CODE}`,
      '.nuxtrc',
      'quasar.conf.js',
      `gatsby-{config,node,browser,ssr}.{js,jsx,mjs,ts,tsx}`,
      'ember-cli-build.{js,cjs}',
      '.ember-cli',
      '.eleventy.js',
      '.vitepress/config.*',
      '.vuepress/config.*',
      'angular.json',
      '.angular-cli.json'
    ],
    source: 'https://nextjs.org/docs/app/api-reference/config/next-config-js',
    commandsMayWrite: true
  },
  {
    program: 'React Native, Electron, Tauri and Capacitor',
    names: [
      `{metro,react-native,capacitor,forge}.config.${CODE}`,
      // Expo
      'app.config.{js,cjs,mjs}',
      'metro.config.json',
      `electron-builder.${CODE_OR_DATA}`,
      `electron-builder.config.${CODE}`,
      'tauri.conf.{json,json5}',
      'tauri.*.conf.{json,json5}',
      'Tauri.toml'
    ],
    source: 'https://metrobundler.dev/docs/configuration/',
    commandsMayWrite: true
  },
  {
    program: 'TypeDoc: plug-ins are code, whatever the format',
    names: ['typedoc.{js,cjs,mjs,json,jsonc}', `typedoc.config.${CODE}`],
    source: 'https://typedoc.org/documents/Options.Configuration.html#options',
    commandsMayWrite: true
  },
  {
    program: 'Wrangler, Firebase, Serverless Framework, PM2 and other tools that deploy or serve',
    names: [
      'wrangler.{toml,json,jsonc}',
      'firebase.json',
      'serverless.{yml,yaml,json,js,cjs,mjs,ts}',
      'ecosystem.config.{js,cjs,mjs,json}',
      'bs-config.{js,cjs,json}',
      'truffle{,-config}.js'
    ],
    source: 'https://developers.cloudflare.com/workers/wrangler/custom-builds/',
    commandsMayWrite: true
  },
  {
    program: 'Tern',
    names: ['.tern-project'],
    source: 'https://ternjs.net/doc/manual.html#configuration'
  },
  {
    program: 'Storybook and Ladle',
    names: ['.storybook', '.ladle'],
    source: 'https://storybook.js.org/docs/configure',
    commandsMayWrite: true
  },
  {
    program: 'Gulp, Grunt, Jake and other task runners',
    names: [
      'gulpfile',
      'gulpfile.*',
      'Gruntfile',
      'Gruntfile.*',
      'Jakefile',
      'Jakefile.*',
      'plopfile.*',
      'nodemon.json',
      'nx.json',
      'project.json',
      '.moon',
      'moon.{yml,yaml}'
    ],
    source: 'https://gulpjs.com/docs/en/getting-started/javascript-and-gulpfiles/',
    commandsMayWrite: true
  },
  {
    program: 'Alembic',
    names: ['alembic.ini'],
    source:
      'https://alembic.sqlalchemy.org/en/latest/autogenerate.html#applying-post-processing-and-python-code-formatters-to-generated-revisions',
    commandsMayWrite: true
  },
  {
    program: 'Database and API tools (Knex, Drizzle, Prisma, GraphQL and others)',
    names: [
      'knexfile.*',
      `{drizzle,prisma,mikro-orm,graphql,relay,apollo,hardhat,lingui,i18next-parser,i18next}.config.${CODE_OR_DATA}`,
      '.sequelizerc',
      'ormconfig.*',
      '.graphqlrc',
      '.graphqlrc.*',
      'codegen.{yml,yaml}'
    ],
    source: 'https://orm.drizzle.team/docs/drizzle-config-file',
    commandsMayWrite: true
  }
]

const PYTHON_AND_RUBY: readonly SelfStartingGroup[] = [
  {
    program: 'Python',
    names: ['*.pth', 'sitecustomize.py', 'usercustomize.py', '.pythonrc', '.pythonrc.py', '.pdbrc', '.pdbrc.py'],
    source: 'https://docs.python.org/3/library/site.html'
  },
  {
    program: 'Python bytecode',
    names: ['*.pyc'],
    source: 'https://docs.python.org/3/reference/import.html#cached-bytecode-invalidation',
    commandsMayWrite: true
  },
  {
    program: 'Python in virtual environments',
    names: ['pyvenv.cfg'],
    source: 'https://docs.python.org/3/library/sys_path_init.html#virtual-environments',
    commandsMayWrite: true
  },
  {
    program: 'IPython and Jupyter',
    names: ['.ipython', '.jupyter', 'ipython_config.py', 'ipython_kernel_config.py', 'jupyter_*config.py'],
    source: 'https://ipython.readthedocs.io/en/stable/config/intro.html'
  },
  {
    program: 'pip and conda',
    names: ['.pip', 'pip.conf', 'pip.ini', '.condarc'],
    source: 'https://pip.pypa.io/en/stable/topics/configuration/'
  },
  {
    program: 'uv, PDM, Poetry and Hatch: settings that take precedence over pyproject.toml',
    names: ['uv.toml', 'pdm.toml', 'poetry.toml', 'hatch.toml'],
    source: 'https://docs.astral.sh/uv/concepts/configuration-files/',
    commandsMayWrite: true
  },
  {
    program: 'setuptools',
    names: ['setup.py', 'setup.cfg'],
    source: 'https://setuptools.pypa.io/en/latest/userguide/quickstart.html',
    commandsMayWrite: true
  },
  {
    program: 'pytest',
    names: ['conftest.py', '{,.}pytest.{ini,toml}'],
    source: 'https://docs.pytest.org/en/stable/reference/customize.html',
    commandsMayWrite: true
  },
  {
    program: 'tox, nox, doit and Fabric',
    names: ['tox.{ini,toml}', 'noxfile.py', 'dodo.py', 'fabfile.py'],
    source: 'https://tox.wiki/en/latest/config.html#discovery-and-file-types',
    commandsMayWrite: true
  },
  {
    program: 'Pylint',
    names: ['{,.}pylintrc', '{,.}pylintrc.toml'],
    source: 'https://pylint.readthedocs.io/en/stable/user_guide/usage/run.html#command-line-options',
    commandsMayWrite: true
  },
  {
    program: 'Flake8',
    names: ['.flake8'],
    source: 'https://flake8.pycqa.org/en/latest/user/configuration.html#using-local-plugins',
    commandsMayWrite: true
  },
  {
    program: 'mypy',
    names: ['{,.}mypy.ini'],
    source: 'https://mypy.readthedocs.io/en/stable/config_file.html#confval-plugins',
    commandsMayWrite: true
  },
  {
    program: 'Coverage.py, Jedi, SQLFluff, Gunicorn, Celery and Sphinx',
    names: [
      '.coveragerc',
      '.coveragerc.toml',
      '.jedi',
      '.sqlfluff',
      'gunicorn.conf.py',
      'celeryconfig.py',
      '{doc,docs}/conf.py',
      '{doc,docs}/source/conf.py'
    ],
    source: 'https://www.sphinx-doc.org/en/master/usage/configuration.html',
    commandsMayWrite: true
  },
  {
    program: 'MkDocs, mdBook, Quarto and Jekyll',
    names: ['mkdocs.{yml,yaml}', 'book.toml', '_quarto.{yml,yaml}', '_plugins/*.rb'],
    source: 'https://www.mkdocs.org/user-guide/configuration/#hooks',
    commandsMayWrite: true
  },
  {
    program: 'Ruby consoles and debuggers',
    names: ['.irbrc', '_irbrc', 'irb.rc', '.pryrc', '.pry', '.rdbgrc', '.rdbgrc.rb', '.byebugrc', '.gemrc'],
    source: 'https://ruby.github.io/irb/Configurations_md.html'
  },
  { program: 'Bundler', names: ['.bundle'], source: 'https://bundler.io/man/bundle-config.1.html' },
  {
    program: 'Ruby programs in files without extension (Bundler, Rake, Guard and others)',
    names: [
      'Gemfile',
      'gems.rb',
      'Rakefile',
      'Rakefile.rb',
      'Guardfile',
      '.Guardfile',
      'Steepfile',
      'Appraisals',
      'Capfile',
      'Thorfile',
      'Brewfile',
      'Podfile',
      'Fastfile',
      'Berksfile'
    ],
    source: 'https://bundler.io/man/gemfile.5.html',
    commandsMayWrite: true
  },
  {
    program: 'Ruby LSP',
    names: ['ruby_lsp/addon.rb', 'ruby_lsp/*/addon.rb', 'ruby_lsp/*/*/addon.rb'],
    source: 'https://shopify.github.io/ruby-lsp/add-ons',
    commandsMayWrite: true
  },
  {
    program: 'RuboCop, Solargraph and other Ruby tools',
    names: [
      '.rubocop.{yml,yaml}',
      '.standard.yml',
      '.erb_linters',
      '.erb-linters',
      '.solargraph.yml',
      '.{erb,haml,slim}-lint.{yml,yaml}',
      '.rspec',
      '.rspec-local',
      '.simplecov',
      '.yardopts'
    ],
    source: 'https://docs.rubocop.org/rubocop/configuration.html',
    commandsMayWrite: true
  }
]

const JVM_AND_DOTNET: readonly SelfStartingGroup[] = [
  {
    program: 'Gradle',
    names: [
      'gradle.properties',
      '{build,settings,init}.gradle',
      '{build,settings,init}.gradle.kts',
      'gradle/wrapper',
      'gradlew',
      'gradlew.bat',
      'buildSrc',
      'local.properties'
    ],
    source: 'https://docs.gradle.org/current/userguide/build_environment.html',
    commandsMayWrite: true
  },
  {
    program: 'Maven, sbt and the JVM',
    names: ['.mvn', '.sbtopts', '.jvmopts'],
    source: 'https://maven.apache.org/configure.html'
  },
  {
    program: 'Maven wrapper',
    names: ['mvnw', 'mvnw.cmd'],
    source: 'https://maven.apache.org/tools/wrapper/',
    commandsMayWrite: true
  },
  {
    program: 'sbt, Mill, Scalafix and Leiningen',
    names: [
      'build.sbt',
      'project/*.{sbt,scala}',
      'project/project',
      'project/build.properties',
      'build.{sc,mill}',
      '.scalafix.conf',
      'project.clj',
      'profiles.clj',
      '.lsp'
    ],
    source: 'https://www.scala-sbt.org/1.x/docs/Directories.html',
    commandsMayWrite: true
  },
  {
    program: 'Clojure, Babashka and shadow-cljs',
    names: ['user.{clj,cljc}', 'bb.edn', 'shadow-cljs.edn'],
    source: 'https://clojure.org/guides/repl/enhancing_your_repl_workflow',
    commandsMayWrite: true
  },
  {
    program: 'MSBuild and .NET',
    names: [
      'Directory.Build.{props,targets,rsp}',
      'Directory.Packages.props',
      'Directory.Solution.{props,targets}',
      'MSBuild.rsp',
      '{before,after}.*.sln.targets',
      '*proj.user',
      'obj/*.{props,targets}',
      'dotnet-tools.json',
      'global.json'
    ],
    source: 'https://learn.microsoft.com/en-us/visualstudio/msbuild/customize-by-directory',
    commandsMayWrite: true
  },
  {
    program: 'NuGet',
    names: ['NuGet.config'],
    source: 'https://learn.microsoft.com/en-us/nuget/consume-packages/configuring-nuget-behavior',
    commandsMayWrite: true
  },
  {
    program: 'OmniSharp',
    names: ['omnisharp.json'],
    source: 'https://github.com/OmniSharp/omnisharp-roslyn/wiki/Configuration-Options'
  },
  {
    program: 'PSScriptAnalyzer',
    names: ['PSScriptAnalyzerSettings.psd1'],
    source: 'https://learn.microsoft.com/en-us/powershell/utility-modules/psscriptanalyzer/using-scriptanalyzer',
    commandsMayWrite: true
  }
]

const OTHER_LANGUAGES: readonly SelfStartingGroup[] = [
  {
    program: 'Cargo and rustup',
    names: ['.cargo', 'rust-toolchain', 'rust-toolchain.toml'],
    source: 'https://doc.rust-lang.org/cargo/reference/config.html'
  },
  {
    program: 'Cargo build scripts',
    names: ['build.rs'],
    source: 'https://doc.rust-lang.org/cargo/reference/build-scripts.html',
    commandsMayWrite: true
  },
  {
    program: 'cross and Trunk (for WebAssembly)',
    names: ['Cross.toml', '{,.}Trunk.toml'],
    source: 'https://github.com/cross-rs/cross/blob/main/docs/config_file.md',
    commandsMayWrite: true
  },
  {
    program: 'rust-analyzer, cargo-nextest and bacon',
    names: ['{,.}rust-analyzer.toml', '.config/nextest.toml', 'bacon.toml'],
    source: 'https://rust-analyzer.github.io/book/configuration.html'
  },
  {
    program: 'Go',
    names: ['go.work', 'vendor/modules.txt', '.golangci.{yml,yaml,toml,json}', '.custom-gcl.{yml,yaml}', '.air.toml'],
    source: 'https://go.dev/ref/mod#workspaces',
    commandsMayWrite: true
  },
  { program: 'IEx and the Erlang shell', names: ['.iex.exs', '.erlang'], source: 'https://hexdocs.pm/iex/IEx.html' },
  {
    program: 'Mix, Credo and rebar3',
    names: [
      'mix.exs',
      '.formatter.exs',
      '.credo.exs',
      '.dialyzer_ignore.exs',
      'config/{config,runtime}.exs',
      'rebar.config',
      'rebar.config.script'
    ],
    source: 'https://hexdocs.pm/mix/Mix.html',
    commandsMayWrite: true
  },
  {
    program: 'PHP tools',
    names: [
      '.php-cs-fixer.php',
      '.php-cs-fixer.dist.php',
      '.php_cs',
      '.php_cs.dist',
      '{,.}phpstan.{neon,neon.dist,dist.neon}',
      'phpunit.{xml,xml.dist,dist.xml}',
      'psalm.{xml,xml.dist}',
      'rector.php',
      'ecs.php',
      '{,.}phpcs.{xml,xml.dist}',
      '.phpactor.{json,yml}',
      '.phan/config.php',
      'codeception.{yml,dist.yml}',
      'infection.{json,json5,json.dist,json5.dist}',
      'castor.php',
      'RoboFile.php'
    ],
    source: 'https://phpstan.org/config-reference',
    commandsMayWrite: true
  },
  {
    program: 'PHP programs, which load the packages of Composer',
    names: ['vendor/autoload.php', 'vendor/composer'],
    source: 'https://phpstan.org/user-guide/discovering-symbols',
    commandsMayWrite: true
  },
  {
    program: 'Perl',
    names: ['.perldb', '.proverc'],
    source: 'https://perldoc.perl.org/prove#.proverc'
  },
  {
    program: 'R',
    names: ['.Rprofile', '.Renviron', '.R'],
    source: 'https://stat.ethz.ch/R-manual/R-devel/library/base/html/Startup.html'
  },
  {
    program: 'R packages, when they are built',
    names: ['Makevars', 'Makevars.{win,ucrt}'],
    source: 'https://cran.r-project.org/doc/manuals/r-release/R-exts.html#Using-Makevars',
    commandsMayWrite: true
  },
  {
    program: 'lintr',
    names: ['.lintr', '.lintr.R'],
    source: 'https://lintr.r-lib.org/articles/lintr.html',
    commandsMayWrite: true
  },
  {
    program: 'Julia',
    names: ['.julia/config', 'startup.jl'],
    source: 'https://docs.julialang.org/en/v1/manual/command-line-interface/#Startup-file'
  },
  {
    program: 'Haskell',
    names: ['.ghci', '.haskeline'],
    source: 'https://downloads.haskell.org/ghc/latest/docs/users_guide/ghci.html#the-ghci-files'
  },
  {
    program: 'Cabal and the Haskell language server',
    names: ['Setup.{hs,lhs}', 'cabal.project.local', 'hie.yaml', '.hie-bios'],
    source: 'https://github.com/haskell/hie-bios#explicit-configuration',
    commandsMayWrite: true
  },
  {
    program: 'Dune',
    names: ['dune', 'dune-project', 'dune-workspace', 'dune-workspace.*', 'dune-file'],
    source: 'https://dune.readthedocs.io/en/stable/reference/actions/run.html',
    commandsMayWrite: true
  },
  { program: 'OCaml', names: ['.ocamlinit'], source: 'https://ocaml.org/manual/toplevel.html' },
  {
    program: 'Merlin',
    names: ['.merlin'],
    source: 'https://github.com/ocaml/merlin/wiki/Project-configuration',
    commandsMayWrite: true
  },
  {
    program: 'Lua tools',
    names: ['.luacheckrc', '.luacov', '.busted', '.luarc.json', '.luarc.jsonc', '.luarocks/config-*.lua'],
    source: 'https://luacheck.readthedocs.io/en/stable/config.html',
    commandsMayWrite: true
  },
  {
    program: 'Swift',
    names: ['Package.swift', 'Package@swift-*.swift', '.sourcekit-lsp'],
    source: 'https://docs.swift.org/swiftpm/documentation/packagemanagerdocs/',
    commandsMayWrite: true
  },
  {
    program: 'Dart',
    names: ['analysis_options.yaml', 'pubspec_overrides.yaml', 'dart_test.yaml', 'hook/{build,link}.dart'],
    source: 'https://dart.dev/tools/analysis',
    commandsMayWrite: true
  },
  {
    program: 'Zig and Nim',
    names: ['build.zig', '*.nims', 'nim.cfg'],
    source: 'https://nim-lang.org/docs/nims.html',
    commandsMayWrite: true
  },
  {
    program: 'Octave, MATLAB and gnuplot',
    names: ['.octaverc', 'startup.m', '.gnuplot'],
    source: 'https://docs.octave.org/latest/Startup-Files.html'
  },
  {
    program: 'Lisp and Scheme',
    names: ['.sbclrc', '.swank.lisp', '.guile', '.racketrc'],
    source: 'http://www.sbcl.org/manual/#Initialization-Files'
  }
]

/** A name that was considered and is not listed. */
interface OrdinaryName {
  name: string
  reason: string
  source: string
}

/** Names that look as if programs executed them automatically. */
export const ORDINARY_NAMES: readonly OrdinaryName[] = [
  {
    name: 'json.py',
    reason:
      'A module with the name of a Python module is source code: it runs if a script in its folder imports that name',
    source: 'https://docs.python.org/3/library/sys_path_init.html'
  },
  {
    name: 'pom.xml',
    reason: 'A manifest: it takes effect when a person builds the project',
    source: 'https://maven.apache.org/guides/introduction/introduction-to-the-pom.html'
  },
  {
    name: 'build.xml',
    reason: 'A manifest: it takes effect when a person runs Ant',
    source: 'https://ant.apache.org/manual/running.html'
  },
  {
    name: 'configure',
    reason: 'A script that is run by name, by a person or a build',
    source: 'https://www.gnu.org/software/autoconf/manual/autoconf.html#Running-configure-Scripts'
  },
  {
    name: 'Dockerfile',
    reason: 'A manifest: it takes effect when a person builds the image, in a container',
    source: 'https://docs.docker.com/reference/cli/docker/buildx/build/'
  },
  {
    name: 'main.tf',
    reason: 'A manifest: it takes effect when a person plans or applies',
    source: 'https://developer.hashicorp.com/terraform/language/files'
  },
  {
    name: 'CONVENTIONS.md',
    reason: 'Aider reads it only if a person or `.aider.conf.yml` names it',
    source: 'https://aider.chat/docs/usage/conventions.html'
  },
  {
    name: '.editorconfig',
    reason: 'Its properties contain neither code nor commands',
    source: 'https://spec.editorconfig.org/'
  },
  {
    name: '.classpath',
    reason:
      'It names folders and libraries for the compiler; annotation processors are in `.factorypath`, which is listed',
    source: 'https://help.eclipse.org/latest/topic/org.eclipse.jdt.doc.isv/guide/jdt_api_classpath.htm'
  },
  {
    name: 'compile_commands.json',
    reason: 'It names compilers and options: clangd runs only compilers allowed by its option `--query-driver`',
    source: 'https://clangd.llvm.org/guides/system-headers'
  },
  {
    name: '.env.example',
    reason: 'An example file, like `.sample` and `.template`: a person copies it to `.env`, which is listed',
    source: 'https://bun.com/docs/runtime/environment-variables'
  },
  {
    name: 'TOOLS.md',
    reason:
      'OpenClaw reads it, with IDENTITY.md, USER.md and MEMORY.md, in a separate folder that a person sets: these are common document names',
    source: 'https://docs.openclaw.ai/concepts/agent'
  },
  {
    name: 'deps.edn',
    reason: 'A manifest: it takes effect when a person starts or builds the project',
    source: 'https://clojure.org/reference/deps_edn'
  },
  {
    name: 'toolgate.json',
    reason: 'Not read by any program: the configuration of Toolgate is in `.toolgate`',
    source: 'https://github.com/toolgate/toolgate/blob/main/docs/configuration.md'
  }
]

/** All groups, by kind of program. */
export const SELF_STARTING_GROUPS: readonly SelfStartingGroup[] = [
  ...TOOLGATE_AND_EDITORS,
  ...AGENTS,
  ...GIT_AND_CI,
  ...SHELLS_AND_SYSTEM,
  ...REGENERATED_FOLDERS,
  ...BUILD_TOOLS,
  ...JAVASCRIPT,
  ...PYTHON_AND_RUBY,
  ...JVM_AND_DOTNET,
  ...OTHER_LANGUAGES
]

/** Returns a pattern once for each choice of its groups: `a.{b,c}` as `a.b` and `a.c`. */
export function expandBraces(pattern: string): string[] {
  const group = /\{([^{}]*)\}/.exec(pattern)
  if (!group) return [pattern]
  const rest = expandBraces(pattern.slice(group.index + group[0].length))
  return group[1]!.split(',').flatMap(choice => rest.map(tail => pattern.slice(0, group.index) + choice + tail))
}

const expandNames = (groups: readonly SelfStartingGroup[]) =>
  groups.flatMap(({ names }) => names.flatMap(name => expandBraces(name)))

/** Names of examples, which no program loads, though a pattern covers them. */
export const EXAMPLE_NAMES: readonly string[] = expandBraces('.env{,.*}.{example,sample,template}')

/** Patterns of all groups: writing what they cover requires strict approval. */
export const SELF_STARTING_NAMES: readonly string[] = expandNames(SELF_STARTING_GROUPS)

/** The part that sandboxed commands may neither change nor create. */
export const SANDBOX_PROTECTED_NAMES: readonly string[] = expandNames(
  SELF_STARTING_GROUPS.filter(({ commandsMayWrite }) => !commandsMayWrite)
)
