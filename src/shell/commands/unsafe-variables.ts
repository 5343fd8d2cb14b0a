// Environment variables that make a program run other code or load another file.

const NAMES = new Set(
  (
    'PATH IFS ENV BASH_ENV BASHOPTS SHELLOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND CDPATH HOME SHELL TMPDIR EDITOR VISUAL PAGER ' +
    'BROWSER MANPAGER LESSOPEN LESSCLOSE LESS MORE RIPGREP_CONFIG_PATH NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE ' +
    'PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS ' +
    'GRADLE_OPTS RUSTC RUSTC_WRAPPER RUSTFLAGS RUSTUP_TOOLCHAIN CC CXX LD AR MAKEFLAGS MAKEFILES GOFLAGS GOTOOLCHAIN ' +
    'PHP_INI_SCAN_DIR PHPRC R_PROFILE TAR_OPTIONS GZIP ZIPOPT UNZIP SSH_ASKPASS SUDO_ASKPASS SSH_AUTH_SOCK ' +
    'DISPLAY GCONV_PATH LOCPATH HOSTALIASES RES_OPTIONS MALLOC_CHECK_ TERMINFO TERMCAP GLOBIGNORE HISTFILE INPUTRC ' +
    'AWKPATH AWKLIBPATH JQ_LIBRARY_PATH GREP_OPTIONS POSIXLY_CORRECT DOCKER_HOST KUBECONFIG CURL_HOME WGETRC ' +
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy EXECIGNORE FIGNORE TIMEFORMAT OPENSSL_CONF ' +
    'ZDOTDIR VIMINIT GVIMINIT EXINIT MYVIMRC ELIXIR_ERL_OPTIONS'
  ).split(' ')
)
const FAMILIES =
  /^(?:GIT_|LD_|DYLD_|PYTHON|BASH_|NPM_CONFIG_|npm_config_|YARN_|CARGO_|PIP_|BUNDLE_|ELECTRON_|TOOLGATE_|PYENV_|NVM_|XDG_|ERL_|DOTNET_|LUA_|AWS_|ANSIBLE_)|_(?:PAGER|EDITOR|WRAPPER|RUNNER|PRELOAD|ASKPASS)$/

/** Returns true if the variable may make a program run other code or load another configuration. */
export const isUnsafeVariable = (name: string) => NAMES.has(name) || FAMILIES.test(name)

/** Integer variables of bash, by `declare -pi`, and those that its manual calls special: what is assigned is evaluated as arithmetic. */
const INTEGERS = new Set('BASHPID EPOCHSECONDS EUID HISTCMD LINENO OPTIND PPID RANDOM SECONDS SRANDOM UID'.split(' '))

/** Returns true if bash evaluates what is assigned to the variable, so that a value may execute commands. */
export const isEvaluatedVariable = (name: string) => INTEGERS.has(name)

export const SETS_UNSAFE_VARIABLE = 'Sets a variable that can make programs run other programs or use other files.'
