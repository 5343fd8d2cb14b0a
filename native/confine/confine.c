// Starts a program confined by Landlock, a filter of system calls, dropped capabilities and resource limits. It needs no
// namespaces, no rights and no root. docs/adr/0005-landlock-launcher.md gives the reasons, docs/sandbox.md the guarantees.
//
//   toolgate-confine --report-abi
//     Prints what the kernel offers, and the digest of the sources of this program, as one line of JSON.
//   toolgate-confine --policy FILE --filter FILE [options] -- PROGRAM [ARGUMENT]...
//     --policy FILE        grants; see read_policy. Just before the program starts, one line of JSON is appended: the report
//     --filter FILE        the filter, as the array of struct sock_filter that seccomp(2) takes
//     --limit NAME=NUMBER  a resource limit: core, cpu, fsize or nofile
//     --cgroup FILE        cgroup.procs of a control group to join
//     --network            the network is not restricted, nor are sockets that have a path
//     --terminal           the program stays in the session of its terminal
//
// It stays as the parent, outside of the confinement, and ends everything that the program leaves behind. SIGQUIT ends the
// program and all its descendants at once, also when the starter of this process ends; other signals are passed on to the
// program's process group. Exit code: the program's, 128 plus the number of the signal that ended it, 127 if it does not exist,
// 126 if it cannot be executed, and 125 if anything failed before: then nothing was run.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SETUP_FAILED = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };
// Signals and abstract sockets are confined from 6 on. Below, the program could end the server.
enum { MIN_ABI = 6, ABI_NAMED_SOCKETS = 9 };
enum { MAX_FILTER_BYTES = 64 * 1024, MAX_POLICY_BYTES = 64 * 1024 * 1024, MAX_LIMITS = 4, MAX_CGROUPS = 8 };
enum { END_POLL_NS = 10 * 1000 * 1000 };

// The kernel's interface, which headers of older distributions lack: include/uapi/linux/landlock.h.
enum { LANDLOCK_CREATE_RULESET = 444, LANDLOCK_ADD_RULE = 445, LANDLOCK_RESTRICT_SELF = 446, CLOSE_RANGE = 436 };
enum { CREATE_RULESET_VERSION = 1, CREATE_RULESET_ERRATA = 2, RULE_PATH_BENEATH = 1 };
#define BIT(n) (UINT64_C(1) << (n))
#define FS_EXECUTE BIT(0)
#define FS_WRITE_FILE BIT(1)
#define FS_READ_FILE BIT(2)
#define FS_READ_DIR BIT(3)
#define FS_REMOVE (BIT(4) | BIT(5))
#define FS_MAKE_PLAIN (BIT(7) | BIT(8) | BIT(9) | BIT(10) | BIT(12))
#define FS_REFER BIT(13)
#define FS_TRUNCATE BIT(14)
#define FS_IOCTL_DEV BIT(15)
#define FS_RESOLVE_UNIX BIT(16)
#define FS_ALL_OF_MIN_ABI (BIT(16) - 1)
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define NET_BIND_AND_CONNECT_TCP (BIT(0) | BIT(1))
#define SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS (BIT(0) | BIT(1))

// Of this file and of how it is compiled; see scripts/launcher.ts.
#ifndef SOURCE_DIGEST
#define SOURCE_DIGEST ""
#endif

struct ruleset {
  uint64_t fs, net, scoped;
};
struct path_beneath {
  uint64_t allowed;
  int32_t parent_fd;
} __attribute__((packed));

struct limit {
  int resource;
  rlim_t value;
};
struct options {
  const char *policy, *filter;
  const char *cgroups[MAX_CGROUPS];
  struct limit limits[MAX_LIMITS];
  int cgroup_count, limit_count;
  bool network, terminal;
  char **program;
};
struct grants {
  unsigned granted, missing, changed;
};

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
  int error = errno;
  va_list arguments;
  va_start(arguments, format);
  fputs("toolgate-confine: ", stderr);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s%s\n", error ? ": " : "", error ? strerror(error) : "");
  // Not by exit(3): a child shares the memory of its parent until it executes the program.
  _exit(EXIT_SETUP_FAILED);
}

static long landlock_abi(void) { return syscall(LANDLOCK_CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION); }

// ---- options

static void read_limit(struct options *options, const char *text) {
  static const struct {
    const char *name;
    int resource;
  } known[] = {{"core", RLIMIT_CORE}, {"cpu", RLIMIT_CPU}, {"fsize", RLIMIT_FSIZE}, {"nofile", RLIMIT_NOFILE}};
  const char *number = strchr(text, '=');
  char *end;
  errno = 0;
  if (!number || options->limit_count == MAX_LIMITS) fail("invalid limit %s", text);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strlen(known[i].name) != (size_t)(number - text) || strncmp(known[i].name, text, number - text)) continue;
    rlim_t value = strtoull(number + 1, &end, 10);
    if (errno || number[1] < '0' || number[1] > '9' || *end) fail("invalid limit %s", text);
    options->limits[options->limit_count++] = (struct limit){known[i].resource, value};
    return;
  }
  fail("unknown limit %s", text);
}

static struct options read_options(int count, char **arguments) {
  struct options options = {0};
  int i = 1;
  errno = 0;
  for (; i < count && strcmp(arguments[i], "--"); i++) {
    const char *name = arguments[i];
    if (!strcmp(name, "--terminal")) {
      options.terminal = true;
      continue;
    }
    if (!strcmp(name, "--network")) {
      options.network = true;
      continue;
    }
    if (++i == count) fail("%s needs a value", name);
    if (!strcmp(name, "--policy")) options.policy = arguments[i];
    else if (!strcmp(name, "--filter")) options.filter = arguments[i];
    else if (!strcmp(name, "--limit")) read_limit(&options, arguments[i]);
    else if (!strcmp(name, "--cgroup") && options.cgroup_count < MAX_CGROUPS) options.cgroups[options.cgroup_count++] = arguments[i];
    else fail("unknown option %s", name);
  }
  if (!options.policy || !options.filter) fail("--policy and --filter are required");
  if (i + 1 >= count) fail("no program was given");
  options.program = arguments + i + 1;
  return options;
}

// Reads a whole file, ended by a NUL that is not counted.
static char *read_file(int fd, const char *name, size_t max_bytes, size_t *size) {
  struct stat stat;
  if (fd < 0 || fstat(fd, &stat)) fail("cannot open %s", name);
  if (!S_ISREG(stat.st_mode) || (uint64_t)stat.st_size > max_bytes) {
    errno = 0;
    fail("%s is no file of at most %zu bytes", name, max_bytes);
  }
  char *text = malloc(stat.st_size + 1);
  if (!text) fail("cannot read %s", name);
  *size = 0;
  for (ssize_t got = 1; got > 0 && *size < (size_t)stat.st_size; *size += got) {
    got = read(fd, text + *size, stat.st_size - *size);
    if (got < 0) fail("cannot read %s", name);
  }
  text[*size] = 0;
  return text;
}

// ---- Landlock

// Modes: r read files, l list folders, x execute, w write and truncate files, c create, d remove, m move between folders,
// i device controls.
static uint64_t to_rights(const char *modes) {
  uint64_t rights = 0;
  for (; *modes; modes++) switch (*modes) {
      case 'r': rights |= FS_READ_FILE; break;
      case 'l': rights |= FS_READ_DIR; break;
      case 'x': rights |= FS_EXECUTE; break;
      case 'w': rights |= FS_WRITE_FILE | FS_TRUNCATE; break;
      case 'c': rights |= FS_MAKE_PLAIN; break;
      case 'd': rights |= FS_REMOVE; break;
      case 'm': rights |= FS_REFER; break;
      case 'i': rights |= FS_IOCTL_DEV; break;
      default: errno = 0; fail("invalid mode %c in the policy", *modes);
    }
  return rights;
}

// Grants rights to a file, or to a folder and all below it. An identity, `device:inode` as in stat(2), is that of the entry that was checked: if another one is
// there now, nothing is granted.
static void grant(int ruleset, const char *modes, const char *identity, const char *path, struct grants *grants) {
  int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  struct stat stat;
  if (fd < 0) {
    grants->missing++;
    return;
  }
  if (fstat(fd, &stat)) fail("cannot examine %s", path);
  char found[64];
  snprintf(found, sizeof found, "%ju:%ju", (uintmax_t)stat.st_dev, (uintmax_t)stat.st_ino);
  uint64_t rights = to_rights(modes);
  struct path_beneath rule = {S_ISDIR(stat.st_mode) ? rights : rights & FS_OF_FILES, fd};
  if ((*identity && strcmp(identity, found)) || S_ISLNK(stat.st_mode)) grants->changed++;
  else if (rule.allowed == 0) grants->missing++;
  else if (syscall(LANDLOCK_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0)) fail("cannot grant %s", path);
  else grants->granted++;
  close(fd);
}

// A policy is a sequence of grants: modes, identity (may be empty) and absolute path, each ended by NUL.
static struct grants read_policy(int ruleset, int fd, const char *name) {
  size_t size;
  struct grants grants = {0};
  char *text = read_file(fd, name, MAX_POLICY_BYTES, &size);
  errno = 0;
  if (size > 0 && text[size - 1]) fail("the policy was cut off");
  for (char *at = text, *end = text + size; at < end;) {
    const char *fields[3];
    for (int i = 0; i < 3; i++) {
      if (at >= end) fail("the policy was cut off");
      fields[i] = at;
      at += strlen(at) + 1;
    }
    errno = 0;
    if (*fields[2] != '/') fail("the policy names %s, which is not absolute", fields[2]);
    grant(ruleset, fields[0], fields[1], fields[2], &grants);
  }
  free(text);
  return grants;
}

static void grant_descriptor(int ruleset, int fd, uint64_t rights) {
  struct path_beneath rule = {rights, fd};
  // Anonymous pipes are no entries of a folder, so that no rule applies to them.
  if (syscall(LANDLOCK_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) && errno != EBADFD) fail("cannot grant an own descriptor");
}

// The program may open its standard streams again, as by /dev/stdout, and read what /proc says about itself.
static void grant_own(int ruleset) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int target = open(name, O_PATH | O_CLOEXEC);
    struct stat stat;
    if (target < 0) continue;
    uint64_t rights = fd == STDIN_FILENO ? FS_READ_FILE : FS_WRITE_FILE | FS_TRUNCATE;
    if (isatty(fd)) rights = FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
    if (!fstat(target, &stat) && (S_ISFIFO(stat.st_mode) || S_ISREG(stat.st_mode) || S_ISCHR(stat.st_mode)))
      grant_descriptor(ruleset, target, rights);
    close(target);
  }
  int self = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (self < 0) return;
  grant_descriptor(ruleset, self, FS_READ_FILE | FS_READ_DIR);
  close(self);
}

static int create_ruleset(long abi, bool network) {
  struct ruleset ruleset = {FS_ALL_OF_MIN_ABI, NET_BIND_AND_CONNECT_TCP, SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS};
  if (network) ruleset.net = 0;
  else if (abi >= ABI_NAMED_SOCKETS) ruleset.fs |= FS_RESOLVE_UNIX;
  int fd = syscall(LANDLOCK_CREATE_RULESET, &ruleset, sizeof ruleset, 0);
  if (fd < 0) fail("cannot create a Landlock ruleset");
  return fd;
}

static int report_abi(void) {
  long abi = landlock_abi();
  int error = abi < 0 ? errno : 0;
  long errata = abi > 0 ? syscall(LANDLOCK_CREATE_RULESET, NULL, 0, CREATE_RULESET_ERRATA) : 0;
  bool has_filter = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
  const char *reason = error == 0            ? ""
                       : error == ENOSYS     ? "not built into the kernel"
                       : error == EOPNOTSUPP ? "not enabled when the kernel was started"
                       : error == EPERM      ? "forbidden, as by the profile of a container"
                                             : strerror(error);
  printf("{\"abi\":%ld,\"min_abi\":%d,\"errata\":%ld,\"files\":%s,\"truncate\":%s,\"tcp\":%s,\"devices\":%s,\"signals\":%s,"
         "\"abstract_sockets\":%s,\"named_sockets\":%s,\"filter\":%s,\"reason\":\"%s\",\"source\":\"sha256:" SOURCE_DIGEST "\"}\n",
         abi < 0 ? 0 : abi, MIN_ABI, errata < 0 ? 0 : errata, abi >= 1 ? "true" : "false", abi >= 3 ? "true" : "false",
         abi >= 4 ? "true" : "false", abi >= 5 ? "true" : "false", abi >= 6 ? "true" : "false", abi >= 6 ? "true" : "false",
         abi >= ABI_NAMED_SOCKETS ? "true" : "false", has_filter ? "true" : "false", reason);
  return 0;
}

// ---- the confined program

static void drop_capabilities(void) {
  struct {
    uint32_t version;
    int pid;
  } header = {0x20080522, 0};
  uint32_t none[6] = {0};
  // The bounding set stays: to drop it needs a capability, and under no_new_privs it grants nothing.
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (syscall(SYS_capset, &header, none)) fail("cannot drop capabilities");
}

static void join_cgroups(const struct options *options) {
  for (int i = 0; i < options->cgroup_count; i++) {
    int fd = open(options->cgroups[i], O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) != 1) fail("cannot join %s", options->cgroups[i]);
    close(fd);
  }
}

__attribute__((noreturn)) static void run(const struct options *options, int ruleset, const struct sock_fprog *filter, int report,
                                          const char *facts) {
  grant_own(ruleset);
  if (syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0)) fail("cannot enforce the Landlock ruleset");
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter)) fail("cannot install the filter of system calls");
  size_t length = strlen(facts);
  if (write(report, facts, length) != (ssize_t)length) fail("cannot write the report");
  if (syscall(CLOSE_RANGE, 3, ~0U, 0)) fail("cannot close descriptors");
  execve(options->program[0], options->program, environ);
  int error = errno;
  fprintf(stderr, "toolgate-confine: %s: %s\n", options->program[0], strerror(error));
  _exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

// ---- the parent

// Kills all children until none is left. Those whose parent has ended become children of this process.
static void end_descendants(void) {
  char name[64];
  snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
  const struct timespec pause = {0, END_POLL_NS};
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  for (;;) {
    FILE *file = fopen(name, "re");
    if (!file) return;
    int pid;
    while (fscanf(file, "%d", &pid) == 1) kill(pid, SIGKILL);
    fclose(file);
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) continue;
    if (ended < 0) return;
    // The list may miss children that are handed over while it is read.
    sigtimedwait(&child_ended, NULL, &pause);
  }
}

__attribute__((noreturn)) static void supervise(pid_t program, const sigset_t *signals) {
  for (;;) {
    siginfo_t received;
    if (sigwaitinfo(signals, &received) < 0) continue;
    if (received.si_signo == SIGQUIT) {
      end_descendants();
      _exit(128 + SIGKILL);
    }
    if (received.si_signo != SIGCHLD) {
      kill(-program, received.si_signo);
      continue;
    }
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != program) continue;
      end_descendants();
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
  }
}

int main(int count, char **arguments) {
  if (count == 2 && !strcmp(arguments[1], "--report-abi")) return report_abi();
  pid_t starter = getppid();
  struct options options = read_options(count, arguments);
  long abi = landlock_abi();
  if (abi < 0) fail("Landlock is not available");
  errno = 0;
  if (abi < MIN_ABI) fail("the kernel knows Landlock up to ABI %ld, and at least %d is needed", abi, MIN_ABI);

  size_t size;
  int filter_fd = open(options.filter, O_RDONLY | O_CLOEXEC);
  struct sock_filter *instructions = (struct sock_filter *)read_file(filter_fd, options.filter, MAX_FILTER_BYTES, &size);
  struct sock_fprog filter = {size / sizeof *instructions, instructions};
  errno = 0;
  if (size == 0 || size % sizeof *instructions) fail("%s is no filter", options.filter);
  int ruleset = create_ruleset(abi, options.network);
  int policy = open(options.policy, O_RDWR | O_APPEND | O_CLOEXEC);
  struct grants grants = read_policy(ruleset, policy, options.policy);
  char facts[160];
  snprintf(facts, sizeof facts, "{\"abi\":%ld,\"granted\":%u,\"missing\":%u,\"changed\":%u}\n", abi, grants.granted, grants.missing,
           grants.changed);

  join_cgroups(&options);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail("cannot give up new privileges");
  drop_capabilities();
  // Descendants whose parents have ended are handed to this process, and it ends with its starter.
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) fail("cannot adopt descendants");
  if (prctl(PR_SET_PDEATHSIG, SIGQUIT, 0, 0, 0)) fail("cannot end with the starter");
  sigset_t signals, before;
  sigfillset(&signals);
  sigdelset(&signals, SIGTSTP);
  sigdelset(&signals, SIGTTIN);
  sigdelset(&signals, SIGTTOU);
  if (sigprocmask(SIG_BLOCK, &signals, &before)) fail("cannot block signals");
  errno = 0;
  if (getppid() != starter) fail("the starter has ended");

  // The parent goes on once the program runs.
  pid_t self = getpid(), program = vfork();
  if (program < 0) fail("cannot start a process");
  if (program > 0) {
    close(policy);
    supervise(program, &signals);
  }
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != self) _exit(EXIT_SETUP_FAILED);
  // In a terminal, the program stays in the group in the foreground, which gets the signals itself.
  if (!options.terminal && setsid() < 0) fail("cannot leave the process group");
  for (int i = 0; i < options.limit_count; i++) {
    struct rlimit limit = {options.limits[i].value, options.limits[i].value};
    if (setrlimit(options.limits[i].resource, &limit)) fail("cannot set a resource limit");
  }
  if (sigprocmask(SIG_SETMASK, &before, NULL)) fail("cannot unblock signals");
  run(&options, ruleset, &filter, policy, facts);
}
