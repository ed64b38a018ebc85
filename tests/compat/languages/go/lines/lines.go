// SPDX-License-Identifier: Apache-2.0

// Package lines has what the Go programs share: records as lines of JSON, and the commands.
package lines

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

// Header of a record; Value is nil for null.
type Header struct {
	Name  string
	Value []byte
}

// Record as a library takes or gives it; Key and Value are nil for null.
type Record struct {
	Time    int64
	Key     []byte
	Value   []byte
	Headers []Header
}

type jsonRecord struct {
	T int64       `json:"t"`
	K *string     `json:"k"`
	V *string     `json:"v"`
	H [][]*string `json:"h"`
}

func decode(text *string) []byte {
	if text == nil {
		return nil
	}
	bytes, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		panic(err)
	}
	return append([]byte{}, bytes...)
}

func encode(bytes []byte) *string {
	if bytes == nil {
		return nil
	}
	text := base64.StdEncoding.EncodeToString(bytes)
	return &text
}

func read() (records []Record) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var one jsonRecord
		if err := json.Unmarshal(in.Bytes(), &one); err != nil {
			panic(err)
		}
		record := Record{Time: one.T, Key: decode(one.K), Value: decode(one.V)}
		for _, header := range one.H {
			record.Headers = append(record.Headers, Header{*header[0], decode(header[1])})
		}
		records = append(records, record)
	}
	return records
}

func write(records []Record) {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, record := range records {
		one := jsonRecord{T: record.Time, K: encode(record.Key), V: encode(record.Value), H: [][]*string{}}
		for _, header := range record.Headers {
			name := header.Name
			one.H = append(one.H, []*string{&name, encode(header.Value)})
		}
		line, err := json.Marshal(one)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, string(line))
	}
}

// Client is one library.
type Client interface {
	Write(bootstrap, topic, codec string, records []Record) error
	Read(bootstrap, topic string, count int) ([]Record, error)
	Find(bootstrap, topic string, time int64) (int64, error)
	Member(group *Group) error
}

// Main runs the command that the arguments say.
func Main(client Client) {
	args := os.Args[1:]
	var err error
	switch args[0] {
	case "write":
		err = client.Write(args[1], args[2], args[3], read())
	case "read":
		count, _ := strconv.Atoi(args[3])
		var records []Record
		if records, err = client.Read(args[1], args[2], count); err == nil {
			write(records)
		}
	case "find":
		time, _ := strconv.ParseInt(args[3], 10, 64)
		var offset int64
		if offset, err = client.Find(args[1], args[2], time); err == nil {
			fmt.Println(offset)
		}
	case "group":
		err = client.Member(newGroup(args[1:]))
	default:
		err = fmt.Errorf("no command %s", args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
