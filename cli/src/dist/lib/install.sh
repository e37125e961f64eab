# "millrace install": links to this clone or unpacked distribution from a directory on the PATH. The launcher reads this
# file, which uses its say, fail, self and home. Only the manual of a clone needs Java, and a build.

wrong_use() {
  say "$1" "See: millrace install --help"
  exit 2
}

# Is $1 a link that an earlier install has made? $2 is how the targets of such links end.
ours() {
  [ -L "$1" ] && case $(readlink "$1") in
    */"$2") ;;
    *) return 1 ;;
  esac
}

# Nothing is changed before all places are known to be free.
check_place() {
  if [ -d "$1" ] && ! [ -L "$1" ]; then
    fail "$1 is a directory; it stays as it is, and nothing was installed"
  elif { [ -e "$1" ] || [ -L "$1" ]; } && [ -z "$force" ] && ! ours "$1" "$2"; then
    fail "$1 is not Millrace's; it stays as it is, and nothing was installed. To replace it: --force"
  fi
}

# Other programs see the old link or the new one.
put_link() {
  rm -f "$2.millrace-new" && ln -s "$1" "$2.millrace-new" && mv -f "$2.millrace-new" "$2" || fail "cannot write $2"
}

remove_link() { ! ours "$1" "$2" || rm -f "$1" || fail "cannot remove $1"; }

# Calls $1 with each place below $share, and how a link's target there ends: for all files of $2, a directory like it.
each_manual_file() {
  for file in "$2"/man/man1/millrace*.1 "$2"/man/man1/wrk.1 "$2"/man/man1/flw.1 "$2"/man/man1/nrvnad.1 \
    "$2"/bash-completion/completions/millrace "$2"/bash-completion/completions/wrk \
    "$2"/bash-completion/completions/flw "$2"/bash-completion/completions/nrvnad \
    "$2"/zsh/site-functions/_millrace "$2"/fish/vendor_completions.d/millrace.fish \
    "$2"/fish/vendor_completions.d/wrk.fish "$2"/fish/vendor_completions.d/flw.fish \
    "$2"/fish/vendor_completions.d/nrvnad.fish; do
    if [ -e "$file" ] || [ -L "$file" ]; then
      "$1" "$share/${file#"$2"/}" "share/${file#"$2"/}"
    fi
  done
}

put_manual_file() {
  mkdir -p "${1%/*}" || fail "cannot create ${1%/*}"
  put_link "$manual/${2#share/}" "$1"
}

remove_commands() {
  for name in millrace wrk flw nrvnad; do
    remove_link "$target/$name" millrace
  done
  [ -z "$share" ] || each_manual_file remove_link "$share"
  printf '%s\n' "removed Millrace's links from $target${share:+ and $share}"
}

put_commands() {
  for name in millrace wrk flw nrvnad; do
    check_place "$target/$name" millrace
  done
  [ -z "$manual" ] || each_manual_file check_place "$manual"
  for name in millrace wrk flw nrvnad; do
    put_link "$launcher" "$target/$name"
  done
  printf '%s\n' "$target: millrace, wrk, flw and nrvnad, links to $launcher"
  if [ -n "$manual" ]; then
    each_manual_file remove_link "$share" # of an older version, which may have had more
    each_manual_file put_manual_file "$manual"
    printf '%s\n' "$share: man pages, and completions for bash, zsh and fish"
  fi
}

# The unpacked distribution has its manual; that of a clone is written by its jar, which may have to be built.
find_manual() {
  manual=
  [ -n "$share" ] || return 0
  if [ -e "$home/pom.xml" ]; then
    "$launcher" --distribution-files "$home/cli/target/dist" || return 0
    manual=$home/cli/target/dist/share
  else
    manual=${launcher%/bin/millrace}/share
  fi
}

quoted() {
  case $1 in
    *[!A-Za-z0-9_./-]*) printf "'%s'" "$1" ;;
    *) printf '%s' "$1" ;;
  esac
}

advise() {
  case :${PATH-}: in
    *:"$target":*) ;;
    *) say "$target is not on your PATH; to add it, put this into your shell's startup file:" \
      "  export PATH=\"$target:\$PATH\"" ;;
  esac
  printf '%s\n' "to remove all of it: $(quoted "$launcher") install --remove $(quoted "$target")$1"
  [ -n "$manual" ] || [ -z "$share" ] ||
    fail "man pages and completions are missing, as the build failed: repeat this when it works"
}

install_commands() {
  force='' remove='' target='' share=default
  while [ $# -gt 0 ]; do
    case $1 in
      -f | --force) force=1 ;;
      --remove) remove=1 ;;
      --share)
        [ $# -gt 1 ] || wrong_use "--share requires a value: --share DIR"
        share=$2
        shift
        ;;
      --share=*) share=${1#*=} ;;
      -*) wrong_use "unknown option: $1" ;;
      *)
        [ -z "$target" ] || wrong_use "one directory is enough: \"$target\" or \"$1\""
        target=$1
        ;;
    esac
    shift
  done
  [ -n "$target" ] || wrong_use "name a directory that is on your PATH, such as ~/.local/bin"
  launcher=$(cd "${self%/*}" && pwd)/millrace # not resolved further: a link to the current version keeps its meaning
  case $target in
    /*) ;;
    *) target=$PWD/$target ;;
  esac
  if [ -z "$remove" ]; then
    mkdir -p "$target" || fail "cannot create $target"
  fi
  [ -d "$target" ] || fail "no directory $target"
  target=$(cd "$target" && pwd)
  [ "$(cd -P "$target" && pwd)" != "$(cd -P "${self%/*}" && pwd)" ] ||
    fail "$target is where Millrace itself is; name another directory, such as ~/.local/bin"
  hint=
  case $share in
    default)
      case $target in
        */bin) share=${target%/bin}/share ;;
        *) share= ;;
      esac
      ;;
    '') ;;
    /*) hint=" --share $(quoted "$share")" ;;
    *)
      share=$PWD/$share
      hint=" --share $(quoted "$share")"
      ;;
  esac
  if [ -n "$remove" ]; then
    remove_commands
  else
    find_manual
    put_commands
    advise "$hint"
  fi
}
