import Commands
import Testing

@testable import flic
@testable import nus

@Suite("Completions of shells")
struct CompletionTests {
    /// Names as somebody may have given them to a button.
    private static let hostile = [
        "Hall", "Living room", "it's", "a\"b", "$(touch /tmp/x)", "`id`", "back\\slash", "semi;colon", "100% & more", "Küche", "a:b=c@d", "*", "~",
        "!x",
        "{a,b}", "#1", "tab", "[x]", "<in>",
    ]

    private static let scripts = Shell.allCases.flatMap { shell in
        [(shell.rawValue, FlicProgram.table.completions(for: shell)), (shell.rawValue, NusProgram.table.completions(for: shell))]
    }

    @Test("Each shell reads its script", arguments: scripts.filter { OtherProgram.isThere($0.0) })
    func syntax(name: String, script: String) throws {
        let shell = try #require(OtherProgram(name))
        let result = try shell.run("-n", file: script)
        #expect(result.status == 0 && result.text == "")
    }

    // MARK: bash

    /// What bash offers for the last of the words.
    private func bash(_ words: [String], table script: String = FlicProgram.table.completions(for: .bash), more: String = "") throws -> [String] {
        let shell = try #require(OtherProgram("bash"))
        let list = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        let call = """
            compopt() { echo "compopt $*"; }
            COMP_WORDS=(\(list)) COMP_CWORD=\(words.count - 1)
            _\(words[0])
            for reply in "${COMPREPLY[@]}"; do printf '%s\\n' "$reply"; done
            \(more)
            """
        return try shell.run("--norc", file: script + "\n" + call).lines
    }

    @Test(
        "bash: commands, options, values",
        .enabled(if: OtherProgram.isThere("bash")),
        arguments: [
            (["flic", "li"], ["list", "listen"]), (["flic", "--sto"], ["--store"]), (["flic", "-q", "--store", "list", "sc"], ["scan"]),
            (["flic", "--store", "=", "x", "sc"], ["scan"]), (["flic", "listen", "--mo"], ["--mode"]), (["flic", "listen", "--jso"], ["--json"]),
            (["flic", "listen", "--mode", ""], ["click", "hold", "double", "all"]), (["flic", "listen", "--mode", "=", "d"], ["double"]),
            (["flic", "listen", "--mode", "="], ["click", "hold", "double", "all"]), (["flic", "--store", ""], ["compopt -o dirnames"]),
            (["flic", "listen", "--store", ""], ["compopt -o dirnames"]), (["flic", "import", ""], ["compopt -o default"]),
            (["flic", "import", "--passphrase-file", ""], ["compopt -o default"]), (["flic", "listen", "--seconds", ""], []),
            (["flic", "mode", "Hall", "a"], ["all"]), (["flic", "mode", "Hall", "--hold-time", "1", "a"], ["all"]),
            (["flic", "mode", "Hall", "all", ""], []), (["flic", "rename", "Hall", ""], []), (["flic", "help", "li"], ["list", "listen"]),
            (["flic", "help", "--completions", "b"], ["bash"]), (["flic", "dance", ""], []), (["flic", "list", "x"], []),
            (["nus", "se"], ["serve"]), (["nus", "connect", "--r"], ["--raw"]),
        ] as [([String], [String])]
    )
    func bash(words: [String], choices: [String]) throws {
        let table = words[0] == "nus" ? NusProgram.table.completions(for: .bash) : FlicProgram.table.completions(for: .bash)
        #expect(try bash(words, table: table) == choices)
    }

    @Test("bash: every command is offered, and every option of a command", .enabled(if: OtherProgram.isThere("bash")))
    func bashAll() throws {
        let table = FlicProgram.table
        #expect(try bash(["flic", ""]) == table.commands.map(\.name))
        for command in table.commands {
            #expect(try Set(bash(["flic", command.name, "--"])) == Set((table.options + command.options).map(\.name)))
        }
    }

    @Test("bash: a name of a button, whatever it is, comes back as that name and as nothing else", .enabled(if: OtherProgram.isThere("bash")))
    func bashNames() throws {
        let shell = try #require(OtherProgram("bash"))
        let call = """
            COMP_WORDS=(flic listen '') COMP_CWORD=2
            _flic
            eval "words=(${COMPREPLY[*]})"
            printf '%s\\n' "${words[@]}"
            for typed in 'Living\\ r' "'Living" '"Living r' 'a\\:b' ; do
                COMP_WORDS=(flic mode "$typed")
                _flic
                printf '%s\\n' "${COMPREPLY[@]}"
            done
            """
        let result = try shell.run("--norc", file: FlicProgram.table.completions(for: .bash) + "\n" + call, lines: Self.hostile)
        #expect(result.lines == Self.hostile + ["Living\\ room", "Living room", "Living room", "a\\:b\\=c\\@d"])
    }

    @Test("bash: without buttons, or without the program, nothing is offered", .enabled(if: OtherProgram.isThere("bash")))
    func bashNothing() throws {
        #expect(try bash(["flic", "forget", ""]).isEmpty)
        #expect(try bash(["flic", "forget", ""], table: "PATH=/nowhere\n" + FlicProgram.table.completions(for: .bash)).isEmpty)
    }

    // MARK: fish

    /// What fish offers for a line.
    private func fish(_ line: String, _ script: String = FlicProgram.table.completions(for: .fish)) throws -> [String] {
        let shell = try #require(OtherProgram("fish"))
        let result = try shell.run("--no-config", file: script + "\ncomplete -C '\(line)'", lines: Self.hostile)
        return result.lines.map { String($0.prefix { $0 != "\t" }) }
    }

    @Test(
        "fish: commands, options, values",
        .enabled(if: OtherProgram.isThere("fish")),
        arguments: [
            ("flic li", ["list", "listen"]), ("flic --sto", ["--store"]), ("flic --store list sc", ["scan"]), ("flic listen --mo", ["--mode"]),
            ("flic listen --jso", ["--json"]), ("flic listen --mode d", ["double"]), ("flic listen --mode=d", ["--mode=double"]),
            ("flic mode Hall a", ["all"]), ("flic mode Hall --hold-time 1 a", ["all"]), ("flic mode Hall all ", []),
            ("flic help li", ["list", "listen"]), ("flic help listen --mo", []), ("flic listen Ha", ["Hall"]),
            ("flic listen Hall Liv", ["Living room"]),
            ("nus se", ["serve"]),
        ] as [(String, [String])]
    )
    func fish(line: String, choices: [String]) throws {
        let script = line.hasPrefix("nus") ? NusProgram.table.completions(for: .fish) : FlicProgram.table.completions(for: .fish)
        #expect(try fish(line, script) == choices)
    }

    @Test("fish: a name of a button, whatever it is, is offered as it is", .enabled(if: OtherProgram.isThere("fish")))
    func fishNames() throws {
        #expect(try Set(fish("flic forget ")) == Set(Self.hostile))
    }

    @Test("fish: every command is offered", .enabled(if: OtherProgram.isThere("fish")))
    func fishAll() throws {
        #expect(try fish("flic ").sorted() == FlicProgram.table.commands.map(\.name).sorted())
    }

    // MARK: zsh

    @Test("zsh: what is typed, with a tab behind it, at a terminal", .enabled(if: OtherProgram.isThere("zsh")))
    func zsh() throws {
        let shell = try #require(OtherProgram("zsh"))
        let expected = [
            ("flic lat", "<latency>"), ("flic --store list sc", "<--store><list><scan>"), ("flic listen --mode dou", "<listen><--mode><double>"),
            ("flic mode Hall dou", "<mode><Hall><double>"), ("flic help --completions z", "<help><--completions><zsh>"),
            ("flic listen Liv", "<listen><Living room>"), ("flic listen Hall it", "<listen><Hall><it's>"), ("flic listen a:", "<listen><a:b=c@d>"),
            ("flic listen \\$", "<listen><$(touch /tmp/x)>"), ("flic listen \\`", "<listen><`id`>"), ("flic forget Kü", "<forget><Küche>"),
        ]
        let typed = expected.map { "'" + $0.0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        let driver = """
            zmodload zsh/zpty
            zpty shell "TERM=dumb zsh -f -i"
            zpty -w shell "autoload -U compinit; compinit -D -u; . ${0:h}/completions; print ready-\\$((1+1))"
            zpty -r shell output '*ready-2*'
            for line in \(typed); do
                zpty -w -n shell "$line"$'\\t\\n'
                zpty -r shell output $'*\\n<*>\\r\\n'
                print -rl -- ${${(M)${(f)output}:#\\<*}%$'\\r'}
            done
            """
        let result = try shell.run("-f", file: driver, completions: FlicProgram.table.completions(for: .zsh), lines: Self.hostile)
        #expect(result.lines == expected.map(\.1))
    }
}
